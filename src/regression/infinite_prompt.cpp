#include "regression/infinite_prompt.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <string>

#include "core/portable.h"
#include "core/require.h"
#include "core/result.h"
#include "measure/psd_factor.h"
#include "regression/integrate.h"

namespace attnlab::regression {
namespace {

void require_covariance(const MatrixRef& covariance) {
  if (covariance.rows() < 1) fail(ErrorCode::kShape, "covariance", "is empty");
  measure::psd_factor(covariance, "covariance");
}

void require_head(const MatrixRef& covariance, const Head& head) {
  require_covariance(covariance);
  require_shape(head.A.rows(), head.A.cols(), covariance.rows(), covariance.rows(), "A");
  require_finite(head.A, "A");
  require_finite(head.b, "b");
}

HeadGradient gradient(const MatrixRef& S, const Head& head) {
  const Matrix SA = S * head.A;
  Matrix gap = head.b * SA;
  gap.diagonal().array() -= 1;
  const Matrix gap_S = gap * S;
  // tr(X^T Y) is the sum of the entrywise products.
  return {gap_S.cwiseProduct(gap).sum() / 2, head.b * (S * gap_S),
          (SA * S).cwiseProduct(gap).sum()};
}

Vector flatten(const Head& head) {
  Vector state(head.A.size() + 1);
  state.head(head.A.size()) = Eigen::Map<const Vector>(head.A.data(), head.A.size());
  state(head.A.size()) = head.b;
  return state;
}

Head unflatten(const Vector& state, Index d) {
  return {Eigen::Map<const Matrix>(state.data(), d, d), state(d * d)};
}

// Minus the gradient of the loss.
VectorField flow_field(const MatrixRef& covariance, const Head& start) {
  require_head(covariance, start);
  return [covariance = Matrix(covariance)](const Vector& state) {
    const HeadGradient slope = gradient(covariance, unflatten(state, covariance.rows()));
    return Vector(-flatten({slope.A, slope.b}));
  };
}

}  // namespace

HeadGradient infinite_prompt(const MatrixRef& covariance, const Head& head) {
  require_head(covariance, head);
  return gradient(covariance, head);
}

double infinite_prediction(const MatrixRef& covariance, const Head& head, const VectorRef& w,
                           const VectorRef& query) {
  require_head(covariance, head);
  require_shape(w.size(), 1, covariance.rows(), 1, "w");
  require_shape(query.size(), 1, covariance.rows(), 1, "query");
  return head.b * w.dot(covariance * (head.A * query));
}

double flow_invariant(const Head& head) {
  return head.A.squaredNorm() - head.b * head.b;
}

Head flow_limit(const MatrixRef& covariance) {
  require_covariance(covariance);
  const Index d = covariance.rows();
  const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance);
  if (cholesky.info() != Eigen::Success)
    fail(ErrorCode::kOutOfRange, "covariance", "is not positive definite");
  const Matrix inverse = cholesky.solve(Eigen::MatrixXd::Identity(d, d));
  const double b = std::sqrt(std::sqrt(inverse.squaredNorm()));
  const Matrix A = inverse / b;
  require_result(A, "covariance");
  require_result(b, "covariance");
  return {A, b};
}

Head flow_start(Index dimension, double alpha) {
  const double entry = alpha / std::sqrt(static_cast<double>(dimension));
  return {entry * Matrix::Identity(dimension, dimension), alpha};
}

std::vector<Head> infinite_flow(const MatrixRef& covariance, const Head& start,
                                const std::vector<double>& times, double tolerance) {
  std::vector<Head> heads;
  for (const Vector& state :
       integrate(flow_field(covariance, start), flatten(start), times, tolerance))
    heads.push_back(unflatten(state, covariance.rows()));
  return heads;
}

InfiniteFlow::InfiniteFlow(const MatrixRef& covariance, const Head& start, double time,
                           double tolerance)
    : dimension_(covariance.rows()),
      integration_(flow_field(covariance, start), flatten(start), {time}, tolerance) {}

Head InfiniteFlow::head() const {
  return unflatten(integration_.states().front(), dimension_);
}

Head flow_step(const MatrixRef& covariance, const Head& head, double dt) {
  require_head(covariance, head);
  const auto moved = [&](const HeadGradient& slope, double time) {
    return Head{head.A - time * slope.A, head.b - time * slope.b};
  };
  const HeadGradient k1 = gradient(covariance, head);
  const HeadGradient k2 = gradient(covariance, moved(k1, dt / 2));
  const HeadGradient k3 = gradient(covariance, moved(k2, dt / 2));
  const HeadGradient k4 = gradient(covariance, moved(k3, dt));
  return {head.A - dt / 6 * (k1.A + 2 * k2.A + 2 * k3.A + k4.A),
          head.b - dt / 6 * (k1.b + 2 * k2.b + 2 * k3.b + k4.b)};
}

Matrix kcm_covariance(Index dimension, double rho) {
  require_range(rho, -1, 1, "rho");
  Matrix covariance(dimension, dimension);
  for (Index i = 0; i < dimension; ++i) {
    double power = 1;
    for (Index j = i; j < dimension; ++j, power *= rho)
      covariance(i, j) = covariance(j, i) = power;
  }
  return covariance;
}

}  // namespace attnlab::regression
