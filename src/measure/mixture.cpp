// sum_k pi_k mu_k of any measures.
#include <string>
#include <utility>

#include "core/portable.h"
#include "core/require.h"
#include "core/special.h"
#include "measure/measure.h"

namespace attnlab::measure {
namespace {

class Mixture final : public Measure {
 public:
  Mixture(const VectorRef& weights, std::vector<std::unique_ptr<Measure>> components)
      : weights_(weights / weights.sum()), components_(std::move(components)) {}

  std::string_view kind() const override { return "mixture"; }
  Index dimension() const override { return components_.front()->dimension(); }
  bool contains(const VectorRef& a) const override {
    for (std::size_t k = 0; k < components_.size(); ++k)
      if (weight(k) > 0 && !components_[k]->contains(a)) return false;
    return true;
  }

  Tilted tilt(const VectorRef& a) const override {
    const Vector centre = centre_of(a);
    Tilted result = tilt_about(a, centre);
    result.log_partition += a.dot(centre);
    result.mean += centre;
    return result;
  }

  Tilted tilt_about(const VectorRef& a, const VectorRef& centre) const override {
    const Index d = dimension();
    const Posterior posterior = tilted_components(a, centre);
    Tilted result{posterior.log_partition, Vector::Zero(d), Matrix::Zero(d, d)};
    for (const auto& part : posterior.parts)
      result.mean += part.weight * part.tilted.mean;
    for (const auto& part : posterior.parts) {
      const Vector offset = part.tilted.mean - result.mean;
      result.covariance += part.weight * (part.tilted.covariance + offset * offset.transpose());
    }
    return result;
  }

  void draw(RandomStream& random, Eigen::Ref<Matrix> tokens) const override {
    for (Index i = 0; i < tokens.rows(); ++i) {
      double u = random.uniform();
      std::size_t k = 0;
      while (k + 1 < components_.size() && u >= weight(k))
        u -= weight(k++);
      components_[k]->draw(random, tokens.middleRows(i, 1));
    }
  }

  double tilted_spread(const VectorRef& a, const VectorRef& centre,
                       const MatrixRef& shape) const override {
    double total = 0;
    for (const auto& part : tilted_components(a, centre).parts)
      total += part.weight * part.measure->tilted_spread(a, centre, shape);
    return total;
  }

 private:
  struct Part {
    const Measure* measure;
    double weight;  // pi_k e^{Lambda_k(a)} / sum
    Tilted tilted;  // about a centre common to all
  };
  struct Posterior {
    double log_partition;
    std::vector<Part> parts;  // of positive weight
  };

  double weight(std::size_t k) const { return weights_(static_cast<Index>(k)); }

  // Near the components, so that their differences keep their digits.
  Vector centre_of(const VectorRef& a) const {
    std::size_t k = 0;
    while (!(weight(k) > 0))
      ++k;
    return components_[k]->tilt(a).mean;
  }

  Posterior tilted_components(const VectorRef& a, const VectorRef& centre) const {
    Posterior result{0, {}};
    std::vector<double> logs;
    for (std::size_t k = 0; k < components_.size(); ++k) {
      if (!(weight(k) > 0)) continue;
      result.parts.push_back({components_[k].get(), 0, components_[k]->tilt_about(a, centre)});
      logs.push_back(portable::log(weight(k)) + result.parts.back().tilted.log_partition);
    }
    const Eigen::Map<const Vector> log_weights(logs.data(), static_cast<Index>(logs.size()));
    result.log_partition = log_sum_exp(log_weights);
    // Not e^(log - log sum): where the logarithms are large, that sums to 1 only roughly.
    const double largest = log_weights.maxCoeff();
    double total = 0;
    for (std::size_t k = 0; k < logs.size(); ++k)
      total += result.parts[k].weight = portable::exp(logs[k] - largest);
    for (auto& part : result.parts)
      part.weight /= total;
    return result;
  }

  Vector weights_;  // sum to one
  std::vector<std::unique_ptr<Measure>> components_;
};

}  // namespace

std::unique_ptr<Measure> mixture(const VectorRef& weights,
                                 std::vector<std::unique_ptr<Measure>> components) {
  const auto count = static_cast<Index>(components.size());
  if (count < 1) fail(ErrorCode::kShape, "components", "is empty; at least one is expected");
  require_shape(weights.size(), 1, count, 1, "weights");
  require_finite_vector(weights, "weights");
  if (weights.minCoeff() < 0 || !(weights.maxCoeff() > 0))
    fail(ErrorCode::kOutOfRange, "weights", "none may be negative and one must be positive");
  require_finite_sum(weights, "weights");
  for (const auto& component : components)
    if (component->dimension() != components.front()->dimension())
      fail(ErrorCode::kShape, "components",
           "have dimensions " + std::to_string(components.front()->dimension()) + " and " +
               std::to_string(component->dimension()) + "; one dimension is expected");
  return std::make_unique<Mixture>(weights, std::move(components));
}

}  // namespace attnlab::measure
