#include "mhla/head_vector.h"

#include "core/require.h"
#include "mhla/features.h"

namespace attnlab::mhla {
namespace {

struct HeadView {
  Eigen::Map<const Matrix> value, query;
};

HeadView view(const double* vector, const HeadShape& shape, Index h) {
  const Index d = shape.dimension;
  const double* start = vector + h * (shape.outputs + d) * d;
  return {Eigen::Map<const Matrix>(start, shape.outputs, d),
          Eigen::Map<const Matrix>(start + shape.outputs * d, d, d)};
}

}  // namespace

Vector pack(const Heads& heads) {
  require_heads(heads);
  const Index d = heads.front().query.cols();
  const HeadShape shape{static_cast<Index>(heads.size()), heads.front().value.rows(), d};
  Vector vector(shape.size());
  double* to = vector.data();
  for (const Head& head : heads) {
    Eigen::Map<Matrix>(to, shape.outputs, d) = head.value;
    Eigen::Map<Matrix>(to + shape.outputs * d, d, d) = head.query;
    to += (shape.outputs + d) * d;
  }
  return vector;
}

Heads unpack(const VectorRef& vector, const HeadShape& shape) {
  require_shape(vector.size(), 1, shape.size(), 1, "vector");
  Heads heads;
  for (Index h = 0; h < shape.heads; ++h) {
    const HeadView head = view(vector.data(), shape, h);
    heads.push_back({head.value, head.query});
  }
  return heads;
}

void coefficients_of(const VectorRef& vector, const HeadShape& shape, Matrix& c) {
  const Index d = shape.dimension;
  c.setZero(shape.outputs, feature_count(d));
  for (Index h = 0; h < shape.heads; ++h) {
    const HeadView head = view(vector.data(), shape, h);
    for (Index a = 0; a < shape.outputs; ++a)
      for (Index j = 0; j < d; ++j)
        for (Index k = 0; k < d; ++k) {
          double* to = &c(a, pair_index(d, j, k) * d);
          const double v = head.value(a, j);
          for (Index l = 0; l < d; ++l)
            to[l] += v * head.query(k, l);
        }
  }
}

void pull_back(const VectorRef& vector, const HeadShape& shape, const MatrixRef& slope,
               Vector& gradient) {
  const Index d = shape.dimension;
  gradient.setZero(shape.size());
  for (Index h = 0; h < shape.heads; ++h) {
    const HeadView head = view(vector.data(), shape, h);
    double* value = gradient.data() + h * (shape.outputs + d) * d;
    double* query = value + shape.outputs * d;
    for (Index a = 0; a < shape.outputs; ++a)
      for (Index j = 0; j < d; ++j)
        for (Index k = 0; k < d; ++k) {
          const double* from = slope.row(a).data() + pair_index(d, j, k) * d;
          const double v = head.value(a, j);
          double sum = 0;
          for (Index l = 0; l < d; ++l) {
            sum += from[l] * head.query(k, l);
            query[k * d + l] += v * from[l];
          }
          value[a * d + j] += sum;
        }
  }
}

Eigen::MatrixXd coefficient_jacobian(const VectorRef& vector, const HeadShape& shape) {
  const Index d = shape.dimension;
  const Index psi = feature_count(d);
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(shape.outputs * psi, shape.size());
  for (Index h = 0; h < shape.heads; ++h) {
    const HeadView head = view(vector.data(), shape, h);
    const Index value = h * (shape.outputs + d) * d;
    const Index query = value + shape.outputs * d;
    for (Index a = 0; a < shape.outputs; ++a)
      for (Index j = 0; j < d; ++j)
        for (Index k = 0; k < d; ++k)
          for (Index l = 0; l < d; ++l) {
            const Index row = a * psi + pair_index(d, j, k) * d + l;
            jacobian(row, value + a * d + j) += head.query(k, l);
            jacobian(row, query + k * d + l) += head.value(a, j);
          }
  }
  return jacobian;
}

Vector random_head_vector(const HeadShape& shape, double scale, RandomStream& stream) {
  return scale * stream.gaussian_vector(shape.size());
}

}  // namespace attnlab::mhla
