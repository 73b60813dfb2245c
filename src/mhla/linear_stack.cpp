#include <cmath>
#include <vector>

#include "core/require.h"
#include "mhla/sequence_model.h"

namespace attnlab::mhla {
namespace {

class LinearStack final : public SequenceModel {
 public:
  LinearStack(Index layers, Index heads, Index d, Index outputs)
      : layers_(layers), heads_(heads), d_(d), outputs_(outputs) {}

  Index parameter_count() const override {
    return heads_ * d_ * ((layers_ - 1) * 2 * d_ + d_ + outputs_);
  }

  Vector initial(RandomStream& stream) const override {
    // Layers multiply each other's outputs, which are cubic: several of them start smaller.
    const double size = layers_ > 1 ? 0.3 : 1.0;
    return size * stream.gaussian_vector(parameter_count()) / std::sqrt(static_cast<double>(d_));
  }

  double loss(const Vector& parameters, const MatrixRef& tokens, const MatrixRef& targets,
              double weight, Vector* gradient) const override {
    const auto depth = static_cast<std::size_t>(layers_);
    std::vector<Matrix> inputs(depth + 1);
    inputs[0] = tokens;
    for (Index layer = 0; layer < layers_; ++layer) {
      const auto at = static_cast<std::size_t>(layer);
      inputs[at + 1] = forward(parameters, layer, inputs[at]);
    }
    const double n = static_cast<double>(tokens.rows());
    Matrix slope = inputs[depth] - targets;
    const double value = slope.squaredNorm() / n;
    if (gradient == nullptr) return value;
    slope *= 2 * weight / n;
    for (Index layer = layers_; layer-- > 0;)
      slope =
          backward(parameters, layer, inputs[static_cast<std::size_t>(layer)], slope, *gradient);
    return value;
  }

 private:
  bool last(Index layer) const { return layer == layers_ - 1; }
  Index outputs(Index layer) const { return last(layer) ? outputs_ : d_; }
  Index start(Index layer, Index head) const {
    return layer * heads_ * 2 * d_ * d_ + head * (outputs(layer) + d_) * d_;
  }
  Eigen::Map<const Matrix> value(const Vector& x, Index layer, Index head) const {
    return {x.data() + start(layer, head), outputs(layer), d_};
  }
  Eigen::Map<const Matrix> query(const Vector& x, Index layer, Index head) const {
    return {x.data() + start(layer, head) + outputs(layer) * d_, d_, d_};
  }

  Matrix forward(const Vector& parameters, Index layer, const Matrix& x) const {
    Matrix y = last(layer) ? Matrix::Zero(x.rows(), outputs_) : x;
    Matrix gram = Matrix::Zero(d_, d_);
    Vector found(d_);
    for (Index t = 0; t < x.rows(); ++t) {
      gram.noalias() += x.row(t).transpose() * x.row(t);
      for (Index h = 0; h < heads_; ++h) {
        found.noalias() = gram * (query(parameters, layer, h) * x.row(t).transpose());
        y.row(t).noalias() += (value(parameters, layer, h) * found).transpose();
      }
    }
    return y;
  }

  // slope: d loss / d output of the layer; adds to the gradient, returns d loss / d input.
  Matrix backward(const Vector& parameters, Index layer, const Matrix& x, const Matrix& slope,
                  Vector& gradient) const {
    const Index n = x.rows();
    std::vector<Matrix> grams(static_cast<std::size_t>(n));
    Matrix gram = Matrix::Zero(d_, d_);
    for (Index t = 0; t < n; ++t) {
      gram.noalias() += x.row(t).transpose() * x.row(t);
      grams[static_cast<std::size_t>(t)] = gram;
    }
    Matrix input_slope = last(layer) ? Matrix::Zero(n, d_) : slope;
    Matrix gram_slope = Matrix::Zero(d_, d_);  // of all later outputs with respect to z z^T
    Vector asked(d_), found(d_), found_slope(d_), asked_slope(d_);
    for (Index t = n; t-- > 0;) {
      const Matrix& g = grams[static_cast<std::size_t>(t)];
      const Vector z = x.row(t).transpose();
      const Vector out = slope.row(t).transpose();
      for (Index h = 0; h < heads_; ++h) {
        const auto v = value(parameters, layer, h);
        const auto q = query(parameters, layer, h);
        asked.noalias() = q * z;
        found.noalias() = g * asked;
        found_slope.noalias() = v.transpose() * out;
        asked_slope.noalias() = g * found_slope;
        Eigen::Map<Matrix>(gradient.data() + start(layer, h), outputs(layer), d_).noalias() +=
            out * found.transpose();
        Eigen::Map<Matrix>(gradient.data() + start(layer, h) + outputs(layer) * d_, d_, d_)
            .noalias() += asked_slope * z.transpose();
        input_slope.row(t).noalias() += (q.transpose() * asked_slope).transpose();
        gram_slope.noalias() += found_slope * asked.transpose();
      }
      input_slope.row(t).noalias() += ((gram_slope + gram_slope.transpose()) * z).transpose();
    }
    return input_slope;
  }

  Index layers_, heads_, d_, outputs_;
};

}  // namespace

std::unique_ptr<SequenceModel> linear_stack(Index layers, Index heads, Index d, Index outputs) {
  require_range(static_cast<double>(layers), 1, 16, "layers");
  require_range(static_cast<double>(heads), 1, 256, "heads");
  require_range(static_cast<double>(d), 1, 64, "dimension");
  require_range(static_cast<double>(outputs), 1, 64, "outputs");
  return std::make_unique<LinearStack>(layers, heads, d, outputs);
}

}  // namespace attnlab::mhla
