#include "mhla/predict.h"

#include "core/require.h"
#include "core/result.h"
#include "mhla/inner_product.h"

namespace attnlab::mhla {

Matrix predict(const MatrixRef& coefficients, const Samples& samples) {
  const Index d = samples.dimension();
  const Index psi = feature_count(d);
  require_shape(coefficients.rows(), coefficients.cols(), -1, psi, "coefficients");
  Matrix result(samples.count(), coefficients.rows());
  Vector h(psi);
  for (Index i = 0; i < samples.count(); ++i) {
    write_features(samples.grams.row(i).data(), samples.queries.row(i).data(), d, 1, h.data());
    for (Index a = 0; a < coefficients.rows(); ++a)
      result(i, a) = inner_product(coefficients.row(a).data(), h.data(), psi);
  }
  require_result(result, "coefficients");
  return result;
}

}  // namespace attnlab::mhla
