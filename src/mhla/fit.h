// Learning multi-head linear attention by least squares: arXiv 2410.10101, Algorithm 1.
//
// One factorisation of the features serves all outputs. The way is chosen by size and conditioning
// and reported. Where the data leave coefficients undetermined, the answer is the one of least
// |W|_F in the paper's own coordinates, and a warning says so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "mhla/feature_factor.h"
#include "mhla/features.h"
#include "mhla/fit_method.h"
#include "mhla/kernel.h"
#include "mhla/model.h"
#include "mhla/predict.h"

namespace attnlab::mhla {

struct FitOptions {
  FitMethod method = FitMethod::kAuto;
  double ridge = 0;               // adds ridge |W|_F^2 to the mean squared error; >= 0
  Vector weights;                 // one a sample, >= 0, not all 0; empty for equal ones
  double head_tolerance = 1e-12;  // singular values of W below this share of the first are dropped
  bool heads = true;
  double memory_limit = 1.5e9;  // bytes
};

struct FitResult {
  Matrix coefficients;     // C, d_out x psi
  Heads heads;             // at most min(d_out d, d^2)
  Vector singular_values;  // of W
  Index rank = 0;          // of the features; psi when every coefficient is determined
  Index dimension = 0;     // psi
  // Weighted mean over samples of |y - y^|^2, summed over outputs.
  double training_error = 0;
  // The same without a model: mean of |y|^2 about its mean. 0 for constant targets.
  double target_variance = 0;
  std::string method;    // the way taken
  double condition = 0;  // of the scaled features over their range; of K^(1/2) for the dual
  std::vector<std::string> warnings;
};

class Fit {
 public:
  // targets: N x d_out. Throws Error before any work: kShape, kNotFinite, kOutOfRange, kTooLarge
  // (with the bytes needed). Parameter names: prompts, targets, weights, ridge, method.
  Fit(Samples samples, Matrix targets, FitOptions options = {});
  Fit(const Fit&) = delete;
  Fit& operator=(const Fit&) = delete;

  // A few milliseconds of work. True at the end.
  bool step();
  double progress() const { return progress_; }  // in [0, 1], never falls
  // After the end.
  const FitResult& result() const { return result_; }

 private:
  void advance();
  double estimate_progress() const;
  void finish_factor();
  bool step_residuals();
  void end_pass();
  void take_least_norm();
  void start_heads();
  bool step_dual();
  void finish_dual();

  std::shared_ptr<const Samples> samples_;
  std::shared_ptr<const Matrix> targets_;
  std::shared_ptr<const Vector> weights_;
  FitOptions options_;
  FitResult result_;
  enum class Stage { kFactor, kDual, kResiduals, kHeads, kDone } stage_ = Stage::kFactor;
  std::unique_ptr<FeatureFactor> factor_;
  Eigen::MatrixXd c_;         // psi x d_out
  Eigen::MatrixXd gradient_;  // F^T residual
  double squared_error_ = 0;
  double last_correction_ = 0;
  Index next_sample_ = 0;
  double progress_ = 0;
  int refinements_ = 0;
  bool refine_ = false;
  std::unique_ptr<PivotedCholesky> kernel_;
  std::unique_ptr<SingularValues> w_values_;
  Matrix w_;
};

// The whole fit at once.
FitResult fit(Samples samples, Matrix targets, FitOptions options = {});

}  // namespace attnlab::mhla
