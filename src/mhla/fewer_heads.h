// Heads, fewer than the singular value decomposition of W needs, for the same function.
//
// W may be any matrix with the same coefficients (parameters.h), and some of these have lower rank
// than the symmetric one. Which is found by Levenberg and Marquardt's method on
//     |(p(Theta) - C) R^T|_F^2,
// the part of the training loss that depends on the heads (with F = QR; exact for any Theta), so
// that an iteration does not touch the data.
#pragma once

#include <cstdint>
#include <memory>

#include "core/types.h"
#include "mhla/head_vector.h"
#include "mhla/model.h"
#include "optimize/levenberg_marquardt.h"

namespace attnlab::mhla {

class FewerHeads {
 public:
  // coefficients: d_out x psi. triangle: psi x psi, R with R^T R = F^T F / N to weigh the error as
  // the mean squared error does, or 0 x 0 for |.|_F. `starts` random starts; a start ends early
  // once the relative error is below 1e-13. Cost of an iteration min(p, r)^2 max(p, r) for p
  // parameters and r = d_out psi; throws kTooLarge ("heads") where p or r is above 2000.
  FewerHeads(const MatrixRef& coefficients, Index d, Index heads, const MatrixRef& triangle,
             int starts, std::uint64_t seed);

  bool step();  // one iteration; true at the end
  double progress() const;
  // |(p - C) R^T|_F / |C R^T|_F of the best start so far.
  double relative_error() const { return error_; }
  Heads heads() const { return unpack(best_, shape_); }

 private:
  void begin();

  Matrix target_;
  Eigen::MatrixXd triangle_;  // 0 x 0: identity
  HeadShape shape_;
  int starts_, start_ = 0;
  std::uint64_t seed_;
  double norm_ = 0, error_;
  Vector best_;
  std::unique_ptr<optimize::LevenbergMarquardt> search_;
};

}  // namespace attnlab::mhla
