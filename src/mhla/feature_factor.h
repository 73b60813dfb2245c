// A factorisation of the feature matrix of a data set, by whichever way its conditioning allows;
// what both the least-squares fit and the certificate stand on.
//
// F is N x psi with rows sqrt(w_i) H(Z_i), never held whole. Columns are scaled to length one
// ("equilibrated"): coordinates of different size then do no harm.
//   Cholesky   of the scaled Gram matrix, while the scaled condition number is below a limit;
//   triangle   R of a QR that streams over the samples, to any condition number;
//   basis      where F is rank deficient (scaled singular values below a share of the largest):
//              the numerical rank from the singular values of R, a well-conditioned choice of
//              `rank` columns, and the null space.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "mhla/blocked_cholesky.h"
#include "mhla/feature_moments.h"
#include "mhla/largest_eigenvalue.h"
#include "mhla/singular_values.h"
#include "mhla/tall_qr.h"

namespace attnlab::mhla {

enum class FactorWay { kCholesky, kTriangle, kBasis };

struct FactorOptions {
  bool try_cholesky = true;
  bool force_singular_values = false;
  double condition_limit = 1e6;   // of the scaled features, above which Cholesky is left
  double ridge = 0;               // adds ridge * (sum of weights) * |W|_F^2 to the squared error
  double rank_tolerance = 1e-10;  // on scaled singular values, relative to the largest
};

class FeatureFactor {
 public:
  // targets: N x outputs or N x 0. weights: N entries >= 0, or empty for ones.
  FeatureFactor(std::shared_ptr<const Samples> samples, std::shared_ptr<const Matrix> targets,
                std::shared_ptr<const Vector> weights, const FactorOptions& options);
  FeatureFactor(const FeatureFactor&) = delete;
  FeatureFactor& operator=(const FeatureFactor&) = delete;

  // A few milliseconds of work. True at the end.
  bool step();
  double progress() const { return progress_; }
  static double bytes(Index d, Index outputs);

  FactorWay way() const { return way_; }
  Index dimension() const { return psi_; }
  Index rank() const { return rank_; }
  // Scaled, over the range: at least 1, and 0 where the range is empty.
  double condition() const { return condition_ > 0 ? std::max(1.0, condition_) : condition_; }
  const Vector& scale() const { return scale_; }
  // psi x (psi - rank), columns span {c : F c = 0}; 0 columns at full rank.
  const Eigen::MatrixXd& null_space() const { return null_space_; }

  // The least-squares coefficients, psi x outputs; one of many where the rank is deficient.
  Eigen::MatrixXd solution() const;
  // The member of c + null space of least |W|_F; c itself at full rank.
  Eigen::MatrixXd least_norm(const Eigen::MatrixXd& c) const;
  // (F^T F)^-1 x on the chosen columns, 0 elsewhere: a step of refinement for x = F^T residual.
  Eigen::MatrixXd normal_solve(const Eigen::MatrixXd& x) const;
  // x -> F^T F x, from the Gram matrix or from R.
  Eigen::VectorXd normal_apply(const Eigen::VectorXd& x) const;
  // h^T (F^T F)^+ h for a feature vector in the range, with the distance of h from the range in
  // scaled coordinates, relative to its length.
  struct Leverage {
    double value;
    double residual;
  };
  Leverage leverage(const VectorRef& h) const;
  // R with R^T R = F^T F; only after the ways through QR.
  const Eigen::MatrixXd& triangle() const { return triangle_; }

 private:
  using Stage = std::function<bool()>;
  void add_stage(double weight, Stage stage);
  void plan_cholesky();
  void plan_qr();
  bool add_moments();
  void scale_gram();
  bool absorb_block();
  void set_scale(const Vector& norms);
  void plan_triangle_checks();
  void plan_singular_values();
  void choose_basis();

  std::shared_ptr<const Samples> samples_;
  std::shared_ptr<const Matrix> targets_;
  std::shared_ptr<const Vector> weights_;
  FactorOptions options_;
  Index psi_, outputs_;
  double total_weight_ = 0;

  struct Planned {
    double weight;
    Stage step;
  };
  std::deque<Planned> stages_;
  double base_ = 0, done_ = 0, planned_ = 0, progress_ = 0;

  FactorWay way_ = FactorWay::kCholesky;
  Index rank_ = 0;
  double condition_ = 0;
  Vector scale_;
  Index next_sample_ = 0;
  bool in_block_ = false;

  std::unique_ptr<FeatureMoments> moments_;
  Eigen::MatrixXd gram_, cross_;
  std::unique_ptr<BlockedCholesky> cholesky_;
  std::unique_ptr<LargestEigenvalue> lanczos_;
  double largest_ = 0;
  std::unique_ptr<TallQr> qr_;
  Eigen::MatrixXd triangle_, rotated_targets_, scaled_triangle_;
  std::unique_ptr<SingularValues> singular_;
  std::vector<Index> basis_;
  std::unique_ptr<TallQr> basis_qr_;
  Eigen::MatrixXd range_, null_space_;
  Vector singular_values_;
};

}  // namespace attnlab::mhla
