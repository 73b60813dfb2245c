#include "attention/sums_first.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "attention/panel.h"
#include "attention/tile.h"
#include "core/magnitude.h"

namespace attnlab::attention {
namespace {

constexpr Index kBlockTokens = 256;
constexpr Index kBlockRows = 64;

// Products of two such entries, and sums of many, are far from the ends of the range.
template <class Scalar>
bool is_moderate(const MatrixRefOf<Scalar>& matrix) {
  constexpr Scalar kLargest = std::is_same_v<Scalar, float> ? Scalar(1e9F) : Scalar(1e90);
  const std::vector<Scalar> largest = largest_magnitudes_by_column<Scalar>(matrix);
  return std::all_of(largest.begin(), largest.end(), [](Scalar entry) {
    return entry == 0 || (entry < kLargest && entry > 1 / kLargest);
  });
}

// sum_j c_j keys_j values_j^T, and where there is an offset, below it sum_j c_j values_j.
template <class Scalar>
class TokenSums {
 public:
  TokenSums(Index d, Index p, bool with_offset)
      : d_(d),
        rows_(round_up(d + (with_offset ? 1 : 0), kTileRows)),
        stride_(rows_ + kTileRows),
        width_(round_up(p, kPanelWidth<Scalar>)),
        with_offset_(with_offset),
        factors_(static_cast<std::size_t>(stride_ * kBlockTokens), Scalar{0}),
        values_(static_cast<std::size_t>(kPanelWidth<Scalar> * kBlockTokens), Scalar{0}),
        block_(static_cast<std::size_t>(rows_ * width_)),
        sums_(static_cast<std::size_t>(rows_ * width_), 0.0) {}

  void add(const MatrixRefOf<Scalar>& keys, const MatrixRefOf<Scalar>& values,
           const VectorRefOf<Scalar>& token_weights) {
    for (Index first = 0; first < keys.rows(); first += kBlockTokens)
      add_block(keys, values, token_weights, first, std::min(kBlockTokens, keys.rows() - first));
  }

  // The right factor of (queries, 1).
  MatrixOf<Scalar> factor(double scale, double offset, Index p) const {
    MatrixOf<Scalar> result(d_ + (with_offset_ ? 1 : 0), p);
    for (Index k = 0; k < result.rows(); ++k)
      for (Index j = 0; j < p; ++j)
        result(k, j) = static_cast<Scalar>((k < d_ ? scale : offset) *
                                           sums_[static_cast<std::size_t>(k * width_ + j)]);
    return result;
  }

 private:
  void add_block(const MatrixRefOf<Scalar>& keys, const MatrixRefOf<Scalar>& values,
                 const VectorRefOf<Scalar>& token_weights, Index first, Index count) {
    constexpr Index kWidth = kPanelWidth<Scalar>;
    for (Index j = 0; j < count; ++j) {
      const Scalar weight = token_weights.size() == 0 ? Scalar{1} : token_weights(first + j);
      const Scalar* from = keys.data() + (first + j) * keys.outerStride();
      Scalar* to = factors_.data() + j * stride_;
      for (Index k = 0; k < d_; ++k)
        to[k] = weight * from[k];
      if (with_offset_) to[d_] = weight;
    }
    const Scalar* from = values.data() + first * values.outerStride();
    for (Index c = 0; c < values.cols(); c += kWidth) {
      pack_panel<Scalar>(from + c, values.outerStride(), std::min(kWidth, values.cols() - c), count,
                         values_.data());
      multiply_tiles<Scalar, LeftFactor::kTransposed, Into::kFresh>(
          {factors_.data(), stride_, kTileRows, values_.data(), kWidth, 0, count},
          rows_ / kTileRows, block_.data() + c, width_, kTileRows * width_);
    }
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i] += static_cast<double>(block_[i]);
  }

  Index d_, rows_;
  Index stride_;  // of the factors: tokens a power of two apart would share lines of the cache
  Index width_;
  bool with_offset_;
  std::vector<Scalar> factors_;  // of a block of tokens, a token after the other
  std::vector<Scalar> values_;   // a panel of them
  std::vector<Scalar> block_;    // what a block adds
  std::vector<double> sums_;
};

}  // namespace

template <class Scalar>
bool sums_come_first(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                     const MatrixRefOf<Scalar>& values, const VectorRefOf<Scalar>& token_weights,
                     const Options& options) {
  if (options.kernel != Kernel::kLinear && options.kernel != Kernel::kLinearMean) return false;
  if (options.causal) return false;
  const auto m = static_cast<double>(queries.rows());
  const auto n = static_cast<double>(keys.rows());
  const auto d = static_cast<double>(keys.cols());
  const auto p = static_cast<double>(values.cols());
  if (d == 0 || p == 0 || m * n * (d + p) < 4 * (m + n) * d * p) return false;
  const Eigen::Map<const MatrixOf<Scalar>> counts(token_weights.data(), token_weights.size(), 1);
  return is_moderate<Scalar>(keys) && is_moderate<Scalar>(values) && is_moderate<Scalar>(counts);
}

template <class Scalar>
MatrixOf<Scalar> forward_sums_first(const MatrixRefOf<Scalar>& queries,
                                    const MatrixRefOf<Scalar>& keys,
                                    const MatrixRefOf<Scalar>& values,
                                    const VectorRefOf<Scalar>& token_weights,
                                    const Options& options) {
  const Index d = keys.cols();
  const Index p = values.cols();
  const bool with_offset = options.offset != 0;
  TokenSums<Scalar> sums(d, p, with_offset);
  sums.add(keys, values, token_weights);
  double factor = 1;
  if (options.kernel == Kernel::kLinearMean)
    factor = 1 / (token_weights.size() == 0 ? static_cast<double>(keys.rows())
                                            : token_weights.template cast<double>().sum());
  const Panels<Scalar> panels =
      column_panels<Scalar>(sums.factor(factor * options.scale, factor * options.offset, p));

  const Index depth = panels.depth;
  const Index width = panels.count * kPanelWidth<Scalar>;
  MatrixOf<Scalar> output(queries.rows(), p);
  std::vector<Scalar> left(static_cast<std::size_t>(kBlockRows * depth), Scalar{0});
  std::vector<Scalar> products(static_cast<std::size_t>(kBlockRows * width));
  for (Index first = 0; first < queries.rows(); first += kBlockRows) {
    const Index rows = std::min(kBlockRows, queries.rows() - first);
    // Whole tiles are read and written where they lie, if they lie as they should.
    const bool whole = rows % kTileRows == 0;
    const bool read_there = whole && !with_offset;
    const bool write_there = whole && p == width;
    const Scalar* from = queries.data() + first * queries.outerStride();
    if (!read_there) {
      for (Index i = 0; i < rows; ++i) {
        std::copy_n(from + i * queries.outerStride(), d, left.data() + i * depth);
        if (with_offset) left[static_cast<std::size_t>(i * depth + d)] = 1;
      }
    }
    const Scalar* factors = read_there ? from : left.data();
    const Index stride = read_there ? queries.outerStride() : depth;
    Scalar* to = write_there ? &output(first, 0) : products.data();
    for (Index i = 0; i < rows; i += kTileRows)
      multiply_panels<Scalar, LeftFactor::kRows, Into::kFresh>(factors + i * stride, stride, panels,
                                                               0, depth, to + i * width, width);
    for (Index i = 0; i < rows && !write_there; ++i)
      std::copy_n(products.data() + i * width, p, &output(first + i, 0));
  }
  return output;
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                             \
  template bool sums_come_first<Scalar>(const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&, \
                                        const MatrixRefOf<Scalar>&, const VectorRefOf<Scalar>&, \
                                        const Options&);                                        \
  template MatrixOf<Scalar> forward_sums_first<Scalar>(                                         \
      const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&,       \
      const VectorRefOf<Scalar>&, const Options&);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention
