#include "measure/measure.h"

#include <limits>
#include <string>

#include "core/portable.h"
#include "core/require.h"
#include "core/result.h"

namespace attnlab::measure {
namespace {

void require_argument(const Measure& measure, const VectorRef& a) {
  require_shape(a.size(), 1, measure.dimension(), 1, "a");
  require_finite_vector(a, "a");
}

}  // namespace

Tilted Measure::tilt_about(const VectorRef& a, const VectorRef& centre) const {
  Tilted result = tilt(a);
  result.log_partition -= a.dot(centre);
  result.mean -= centre;
  return result;
}

double Measure::tilted_spread(const VectorRef&, const VectorRef&, const MatrixRef&) const {
  return std::numeric_limits<double>::quiet_NaN();
}

Matrix Measure::sample(RandomStream& random, Index n) const {
  if (n < 0)
    fail(ErrorCode::kOutOfRange, "n", "is " + std::to_string(n) + "; 0 or more is allowed");
  Matrix tokens(n, dimension());
  draw(random, tokens);
  return tokens;
}

Matrix attend(const Measure& measure, const MatrixRef& A, const MatrixRef& V,
              const MatrixRef& queries) {
  const Index d = measure.dimension();
  require_shape(A.rows(), A.cols(), d, -1, "A");
  require_shape(V.rows(), V.cols(), -1, d, "V");
  require_shape(queries.rows(), queries.cols(), -1, A.cols(), "queries");
  require_finite(A, "A");
  require_finite(V, "V");
  require_finite(queries, "queries");
  Matrix output(queries.rows(), V.rows());
  for (Index i = 0; i < queries.rows(); ++i) {
    const Vector a = A * queries.row(i).transpose();
    if (!measure.contains(a))
      fail(ErrorCode::kDomain, "queries",
           "row " + std::to_string(i) +
               " has an a = A z where the log-moment-generating function of \"" +
               std::string(measure.kind()) + "\" is infinite");
    output.row(i) = (V * measure.tilt(a).mean).transpose();
  }
  require_result(output, "queries");
  return output;
}

GaussianLaw push_forward(const GaussianLaw& tokens, const MatrixRef& A, const MatrixRef& V,
                         const GaussianLaw& queries) {
  const Index d = tokens.mean.size();
  const Index dz = queries.mean.size();
  require_shape(tokens.covariance.rows(), tokens.covariance.cols(), d, d, "covariance");
  require_shape(A.rows(), A.cols(), d, dz, "A");
  require_shape(V.rows(), V.cols(), -1, d, "V");
  require_shape(queries.covariance.rows(), queries.covariance.cols(), dz, dz, "queries");
  const Matrix map = V * tokens.covariance * A;
  return {V * tokens.mean + map * queries.mean, map * queries.covariance * map.transpose()};
}

FiniteConstants constants(const Measure& measure, const VectorRef& a, const MatrixRef& V) {
  require_argument(measure, a);
  require_shape(V.rows(), V.cols(), -1, measure.dimension(), "V");
  require_finite(V, "V");
  const Vector twice = 2 * a;
  if (!measure.contains(twice))
    fail(ErrorCode::kDomain, "a",
         "the log-moment-generating function is infinite at 2 a: no 1/n law holds there");
  const Vector centre = measure.tilt(a).mean;
  const Tilted once = measure.tilt_about(a, centre);
  const Tilted doubled = measure.tilt_about(twice, centre);
  const double exponent = doubled.log_partition - 2 * once.log_partition;
  const double rho = portable::exp(exponent);
  const Vector drift = doubled.mean - once.mean;

  FiniteConstants result;
  result.output =
      rho * ((V * doubled.covariance * V.transpose()).trace() + (V * drift).squaredNorm());
  // NaN stays.
  const double spread = measure.tilted_spread(twice, centre, once.covariance);
  result.covariance = rho * (spread < 0 ? 0 : spread);
  result.bias = -rho * drift;
  result.effective_sample_share = portable::exp(-exponent);
  return result;
}

double freezing_exponent(const Measure& measure, const VectorRef& a) {
  require_argument(measure, a);
  const Tilted tilted = measure.tilt(a);
  return a.dot(tilted.mean) - tilted.log_partition;
}

}  // namespace attnlab::measure
