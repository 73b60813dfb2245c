// The best temperature and output weight of one softmax head A = omega S^{-1}: the single head of
// arXiv 2503.12734, found on drawn prompts (derived here).
#pragma once

#include <span>
#include <vector>

#include "regression/finite_prompt.h"
#include "regression/heads.h"

namespace attnlab::regression {

// step, 2 step, ... up to `last`.
std::vector<double> temperature_grid(double step, double last);

// Sums over prompts from which the mean square error at every omega of a grid, minimised over the
// output weight b, and its standard error follow: with f = sum p_i y_i and target t, of f^2, f t,
// t^2 and of their products up to order four. Sums of disjoint sets of prompts add up.
class TemperatureScan {
 public:
  explicit TemperatureScan(std::size_t temperatures);
  void add(const Prompts& prompts, const MatrixRef& inverse_covariance,
           std::span<const double> temperatures);
  void add(std::span<const double> sums);
  const std::vector<double>& sums() const { return sums_; }

  struct Best {
    double risk;   // E (b f - t)^2
    double error;  // one standard error, at this omega and b
    double temperature;
    double weight;  // b
  };
  // NaN where no prompt has been added.
  Best best(std::span<const double> temperatures) const;

 private:
  std::vector<double> sums_;
};

// The least of first_order_heads_risk over omega and mu of one head, by a fine search over omega
// (the risk is quadratic in mu). For long prompts only.
struct SingleHead {
  double risk;
  double omega;
  double mu;
};
SingleHead best_single_head(const HeadsSetting& setting);

}  // namespace attnlab::regression
