#include "mhla/fewer_heads.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/require.h"
#include "mhla/features.h"

namespace attnlab::mhla {
namespace {

constexpr Index kLargest = 2000;
constexpr Index kMostIterations = 400;
constexpr double kExact = 1e-13;

}  // namespace

FewerHeads::FewerHeads(const MatrixRef& coefficients, Index d, Index heads,
                       const MatrixRef& triangle, int starts, std::uint64_t seed)
    : target_(coefficients),
      triangle_(triangle),
      shape_{heads, coefficients.rows(), d},
      starts_(starts),
      seed_(seed),
      error_(std::numeric_limits<double>::infinity()) {
  const Index psi = feature_count(d);
  require_shape(coefficients.rows(), coefficients.cols(), -1, psi, "coefficients");
  require_range(static_cast<double>(heads), 1, 1e6, "heads");
  if (triangle.size() != 0) require_shape(triangle.rows(), triangle.cols(), psi, psi, "triangle");
  if (shape_.size() > kLargest || coefficients.rows() * psi > kLargest)
    fail(ErrorCode::kTooLarge, "heads",
         "make " + std::to_string(shape_.size()) + " unknowns against " +
             std::to_string(coefficients.rows() * psi) + " coefficients; at most " +
             std::to_string(kLargest) + " of each are allowed");
  norm_ = triangle_.size() == 0 ? target_.norm() : (target_ * triangle_.transpose()).norm();
  best_ = Vector::Zero(shape_.size());
  begin();
}

void FewerHeads::begin() {
  RandomStream random(seed_, stream_of({0xfe3e, static_cast<std::uint64_t>(start_)}));
  // Heads whose sum has about the size of C.
  const double size = std::sqrt(
      std::sqrt(target_.squaredNorm() / static_cast<double>(target_.size() * shape_.heads)));
  optimize::LeastSquaresOptions options;
  options.largest_evaluations = kMostIterations;
  options.value_tolerance = kExact * kExact * norm_ * norm_;
  options.gradient_tolerance = 0;
  search_ = std::make_unique<optimize::LevenbergMarquardt>(
      random_head_vector(shape_, size > 0 ? size : 1.0, random), options);
}

bool FewerHeads::step() {
  if (!search_) return true;
  Matrix c;
  coefficients_of(search_->point(), shape_, c);
  c -= target_;
  Eigen::MatrixXd jacobian = coefficient_jacobian(search_->point(), shape_);
  if (triangle_.size() != 0) {
    c = (c * triangle_.transpose()).eval();
    const Index psi = triangle_.rows();
    for (Index a = 0; a < shape_.outputs; ++a)
      jacobian.middleRows(a * psi, psi) = (triangle_ * jacobian.middleRows(a * psi, psi)).eval();
  }
  search_->tell(Eigen::Map<const Vector>(c.data(), c.size()), jacobian);
  const double error = norm_ > 0 ? std::sqrt(search_->value()) / norm_ : 0.0;
  if (error < error_) {
    error_ = error;
    best_ = search_->best();
  }
  if (search_->running()) return false;
  ++start_;
  search_.reset();
  if (start_ >= starts_ || error_ <= 10 * kExact) return true;
  begin();
  return false;
}

double FewerHeads::progress() const {
  if (!search_) return 1;
  return (start_ + static_cast<double>(search_->evaluations()) / kMostIterations) / starts_;
}

}  // namespace attnlab::mhla
