#include <cmath>
#include <string>
#include <vector>

#include "core/portable.h"
#include "core/require.h"
#include "mhla/sequence_model.h"

namespace attnlab::mhla {
namespace {

constexpr double kNormFloor = 1e-5;  // added to the variance in a layer normalisation
constexpr Index kHidden = 4;         // hidden units of the MLP, in widths

// Rows to mean 0 and variance 1. inverse: 1 / standard deviation of each row.
Matrix normalise(const Matrix& x, Vector& inverse) {
  Matrix y(x.rows(), x.cols());
  inverse.resize(x.rows());
  const double width = static_cast<double>(x.cols());
  for (Index t = 0; t < x.rows(); ++t) {
    const double mean = x.row(t).sum() / width;
    y.row(t) = x.row(t).array() - mean;
    inverse(t) = 1 / std::sqrt(y.row(t).squaredNorm() / width + kNormFloor);
    y.row(t) *= inverse(t);
  }
  return y;
}

// y: normalised rows; slope with respect to y, in its place with respect to x.
Matrix normalise_back(const Matrix& y, const Vector& inverse, const Matrix& slope) {
  Matrix result(y.rows(), y.cols());
  const double width = static_cast<double>(y.cols());
  for (Index t = 0; t < y.rows(); ++t) {
    const double mean = slope.row(t).sum() / width;
    const double along = slope.row(t).dot(y.row(t)) / width;
    result.row(t) = inverse(t) * ((slope.row(t).array() - mean).matrix() - along * y.row(t));
  }
  return result;
}

struct Block {
  Matrix input, normed, q, k, v, mixed, middle, middle_normed, hidden;
  Vector inverse, middle_inverse;
};

class SmallTransformer final : public SequenceModel {
 public:
  SmallTransformer(Index layers, Index heads, Index width, Index d, Index outputs)
      : layers_(layers), heads_(heads), width_(width), d_(d), outputs_(outputs) {}

  Index parameter_count() const override {
    return d_ * width_ + layers_ * block_size() + outputs_ * width_;
  }

  Vector initial(RandomStream& stream) const override {
    Vector x = stream.gaussian_vector(parameter_count());
    const double inside = 1 / std::sqrt(static_cast<double>(width_));
    x.head(d_ * width_) /= std::sqrt(static_cast<double>(d_));
    x.tail(x.size() - d_ * width_) *= inside;
    return x;
  }

  double loss(const Vector& p, const MatrixRef& tokens, const MatrixRef& targets, double weight,
              Vector* gradient) const override {
    std::vector<Block> blocks(static_cast<std::size_t>(layers_));
    Matrix x = tokens * matrix(p, 0, width_, d_).transpose();
    for (Index layer = 0; layer < layers_; ++layer)
      x = forward(p, layer, x, blocks[static_cast<std::size_t>(layer)]);
    Vector inverse;
    const Matrix normed = normalise(x, inverse);
    const Index read_out = parameter_count() - outputs_ * width_;
    const double n = static_cast<double>(tokens.rows());
    Matrix slope = normed * matrix(p, read_out, outputs_, width_).transpose() - targets;
    const double value = slope.squaredNorm() / n;
    if (gradient == nullptr) return value;
    slope *= 2 * weight / n;
    matrix(*gradient, read_out, outputs_, width_).noalias() += slope.transpose() * normed;
    Matrix back = normalise_back(normed, inverse, slope * matrix(p, read_out, outputs_, width_));
    for (Index layer = layers_; layer-- > 0;)
      back = backward(p, layer, blocks[static_cast<std::size_t>(layer)], back, *gradient);
    matrix(*gradient, 0, width_, d_).noalias() += back.transpose() * tokens;
    return value;
  }

 private:
  // A block's matrices: query, key, value, output (width x width each), then the MLP's two.
  Index block_size() const { return (4 + 2 * kHidden) * width_ * width_; }
  Index place(Index layer, Index part) const {
    return d_ * width_ + layer * block_size() + part * width_ * width_;
  }
  static Eigen::Map<const Matrix> matrix(const Vector& p, Index at, Index rows, Index columns) {
    return {p.data() + at, rows, columns};
  }
  static Eigen::Map<Matrix> matrix(Vector& p, Index at, Index rows, Index columns) {
    return {p.data() + at, rows, columns};
  }
  Eigen::Map<const Matrix> square(const Vector& p, Index layer, Index part) const {
    return matrix(p, place(layer, part), width_, width_);
  }
  Eigen::Map<Matrix> square(Vector& p, Index layer, Index part) const {
    return matrix(p, place(layer, part), width_, width_);
  }
  Index head_width() const { return width_ / heads_; }

  // Softmax weights of query t over tokens 0 ... t.
  Vector weights(const Block& b, Index t, Index head) const {
    const Index w = head_width();
    const double scale = 1 / std::sqrt(static_cast<double>(w));
    Vector scores =
        scale * (b.k.block(0, head * w, t + 1, w) * b.q.row(t).segment(head * w, w).transpose());
    const double largest = scores.maxCoeff();
    double sum = 0;
    for (Index s = 0; s <= t; ++s) {
      scores(s) = portable::exp(scores(s) - largest);
      sum += scores(s);
    }
    return scores / sum;
  }

  Matrix forward(const Vector& p, Index layer, const Matrix& x, Block& b) const {
    const Index w = head_width();
    b.input = x;
    b.normed = normalise(x, b.inverse);
    b.q = b.normed * square(p, layer, 0).transpose();
    b.k = b.normed * square(p, layer, 1).transpose();
    b.v = b.normed * square(p, layer, 2).transpose();
    b.mixed.resize(x.rows(), width_);
    for (Index t = 0; t < x.rows(); ++t)
      for (Index h = 0; h < heads_; ++h)
        b.mixed.row(t).segment(h * w, w) =
            weights(b, t, h).transpose() * b.v.block(0, h * w, t + 1, w);
    b.middle = x + b.mixed * square(p, layer, 3).transpose();
    b.middle_normed = normalise(b.middle, b.middle_inverse);
    b.hidden = (b.middle_normed * matrix(p, place(layer, 4), kHidden * width_, width_).transpose())
                   .cwiseMax(0.0);
    return b.middle +
           b.hidden * matrix(p, place(layer, 4 + kHidden), width_, kHidden * width_).transpose();
  }

  Matrix backward(const Vector& p, Index layer, const Block& b, const Matrix& slope,
                  Vector& g) const {
    const Index w = head_width();
    const double scale = 1 / std::sqrt(static_cast<double>(w));
    // MLP.
    matrix(g, place(layer, 4 + kHidden), width_, kHidden * width_).noalias() +=
        slope.transpose() * b.hidden;
    Matrix hidden_slope = slope * matrix(p, place(layer, 4 + kHidden), width_, kHidden * width_);
    hidden_slope = (b.hidden.array() > 0).select(hidden_slope, 0.0).eval();
    matrix(g, place(layer, 4), kHidden * width_, width_).noalias() +=
        hidden_slope.transpose() * b.middle_normed;
    const Matrix middle_slope =
        slope + normalise_back(b.middle_normed, b.middle_inverse,
                               hidden_slope * matrix(p, place(layer, 4), kHidden * width_, width_));
    // Attention.
    square(g, layer, 3).noalias() += middle_slope.transpose() * b.mixed;
    const Matrix mixed_slope = middle_slope * square(p, layer, 3);
    Matrix q_slope = Matrix::Zero(b.q.rows(), width_);
    Matrix k_slope = q_slope, v_slope = q_slope;
    for (Index t = 0; t < b.q.rows(); ++t)
      for (Index h = 0; h < heads_; ++h) {
        const Vector a = weights(b, t, h);
        const Vector out = mixed_slope.row(t).segment(h * w, w).transpose();
        const Vector taken = b.v.block(0, h * w, t + 1, w) * out;
        const Vector score = scale * a.cwiseProduct((taken.array() - a.dot(taken)).matrix());
        v_slope.block(0, h * w, t + 1, w).noalias() += a * out.transpose();
        q_slope.row(t).segment(h * w, w).noalias() +=
            score.transpose() * b.k.block(0, h * w, t + 1, w);
        k_slope.block(0, h * w, t + 1, w).noalias() += score * b.q.row(t).segment(h * w, w);
      }
    square(g, layer, 0).noalias() += q_slope.transpose() * b.normed;
    square(g, layer, 1).noalias() += k_slope.transpose() * b.normed;
    square(g, layer, 2).noalias() += v_slope.transpose() * b.normed;
    const Matrix normed_slope = q_slope * square(p, layer, 0) + k_slope * square(p, layer, 1) +
                                v_slope * square(p, layer, 2);
    return middle_slope + normalise_back(b.normed, b.inverse, normed_slope);
  }

  Index layers_, heads_, width_, d_, outputs_;
};

}  // namespace

std::unique_ptr<SequenceModel> small_transformer(Index layers, Index heads, Index width, Index d,
                                                 Index outputs) {
  require_range(static_cast<double>(layers), 1, 16, "layers");
  require_range(static_cast<double>(heads), 1, 64, "heads");
  require_range(static_cast<double>(width), 2, 256, "width");
  require_range(static_cast<double>(d), 1, 64, "dimension");
  require_range(static_cast<double>(outputs), 1, 64, "outputs");
  if (width % heads != 0)
    fail(ErrorCode::kOutOfRange, "heads",
         "is " + std::to_string(heads) + ", which does not divide the width " +
             std::to_string(width));
  return std::make_unique<SmallTransformer>(layers, heads, width, d, outputs);
}

}  // namespace attnlab::mhla
