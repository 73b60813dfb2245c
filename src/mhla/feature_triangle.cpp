#include "mhla/feature_triangle.h"

#include <algorithm>
#include <cmath>

#include "mhla/tall_qr.h"

namespace attnlab::mhla {

Matrix feature_triangle(const Samples& samples) {
  const Index psi = feature_count(samples.dimension());
  TallQr qr(psi);
  const double scale = 1 / std::sqrt(static_cast<double>(samples.count()));
  Vector h(psi);
  for (Index first = 0; first < samples.count(); first += 128) {
    const Index rows = std::min<Index>(128, samples.count() - first);
    Eigen::MatrixXd& block = qr.begin(rows);
    for (Index r = 0; r < rows; ++r) {
      write_features(samples.grams.row(first + r).data(), samples.queries.row(first + r).data(),
                     samples.dimension(), scale, h.data());
      block.row(r) = h.transpose();
    }
    while (!qr.step()) {
    }
  }
  return qr.r();
}

}  // namespace attnlab::mhla
