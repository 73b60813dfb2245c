#include "mhla/feature_moments.h"

#include <algorithm>
#include <array>

#include "core/simd.h"
#include "mhla/gram_tile.h"

namespace attnlab::mhla {
namespace {

constexpr Index kBlock = 64;  // samples whose panels are packed at a time

constexpr Index padded(Index size) {
  return (size + 3) / 4 * 4;
}

// Place of (i, j), i <= j, among the pairs of `size` things, row by row.
constexpr Index triangle(Index size, Index i, Index j) {
  return i <= j ? i * (2 * size - i + 1) / 2 + j - i : j * (2 * size - j + 1) / 2 + i - j;
}

double* slot(std::vector<double>& panels, Index column, Index sample) {
  return panels.data() + (column / 4) * (4 * kBlock) + 4 * sample + column % 4;
}

// Four columns of a panel at once: out[4 b + i] = first[i][b] second[i][b], b < count, rounded up
// to even. Panels lie kBlock * 32 bytes apart, a power of two, so to write them sample by sample
// would throw each line out of the cache before its next entry comes.
__attribute__((noinline)) void pack_products(const std::array<const double*, 4>& first,
                                             const std::array<const double*, 4>& second,
                                             Index count, double* out) {
  using simd::F64x2;
  for (Index b = 0; b < count; b += 2) {
    F64x2 product[4];
    for (std::size_t i = 0; i < 4; ++i)
      product[i] = simd::load<F64x2>(first[i] + b) * simd::load<F64x2>(second[i] + b);
    double* to = out + 4 * b;
    simd::store(to, F64x2{product[0][0], product[1][0]});
    simd::store(to + 2, F64x2{product[2][0], product[3][0]});
    simd::store(to + 4, F64x2{product[0][1], product[1][1]});
    simd::store(to + 6, F64x2{product[2][1], product[3][1]});
  }
}

// One function call a row of tiles: engines replace a function by its optimised version only
// between calls.
void accumulate_row(const double* left, const std::vector<double>& right, Index columns,
                    Index depth, double* out) {
  for (Index j = 0; j < columns; j += 4)
    accumulate_tile(left, right.data() + j * kBlock, depth, out + j, columns);
}

}  // namespace

FeatureMoments::FeatureMoments(Index d, Index outputs)
    : d_(d),
      pairs_(pair_count(d)),
      outputs_(outputs),
      gram_rows_(padded(pair_count(pairs_))),
      gram_columns_(padded(pairs_)),
      cross_rows_(padded(pairs_)),
      cross_columns_(padded(d * outputs)),
      gram_(static_cast<std::size_t>(gram_rows_ * gram_columns_)),
      cross_(static_cast<std::size_t>(cross_rows_ * cross_columns_)),
      left_(static_cast<std::size_t>(std::max(gram_rows_, cross_rows_) * kBlock)),
      right_(static_cast<std::size_t>(std::max(gram_columns_, cross_columns_) * kBlock)),
      columns_(static_cast<std::size_t>((pairs_ + 1) * kBlock)) {}

double FeatureMoments::cost(Index d, Index outputs) {
  const auto pairs = static_cast<double>(pair_count(d));
  return pairs * pairs / 2 * pairs + pairs * static_cast<double>(d * outputs);
}

double FeatureMoments::bytes(Index d, Index outputs) {
  const auto pairs = static_cast<double>(pair_count(d));
  const auto psi = static_cast<double>(feature_count(d));
  const auto width = static_cast<double>(d * outputs);
  const double moments = pairs * (pairs + 1) / 2 * pairs + pairs * width;
  const double panels = static_cast<double>(kBlock) * (pairs * (pairs + 1) / 2 + pairs + width);
  return 8 * (moments + panels + psi * psi + psi * static_cast<double>(outputs));
}

void FeatureMoments::add(const Samples& samples, const MatrixRef& targets, const VectorRef& weights,
                         Index first, Index count) {
  for (Index done = 0; done < count; done += kBlock)
    add_block(samples, targets, weights, first + done, std::min(kBlock, count - done));
}

void FeatureMoments::add_block(const Samples& samples, const MatrixRef& targets,
                               const VectorRef& weights, Index first, Index count) {
  pack_pairs(samples, first, count);
  for (Index b = 0; b < count; ++b) {
    const double* z = samples.queries.row(first + b).data();
    const double weight = weights.size() == 0 ? 1.0 : weights(first + b);
    Index column = 0;
    for (Index k = 0; k < d_; ++k)
      for (Index l = k; l < d_; ++l)
        *slot(right_, column++, b) = weight * z[k] * z[l];
    for (; column < gram_columns_; ++column)
      *slot(right_, column, b) = 0;
  }
  for (Index i = 0; i < gram_rows_; i += 4)
    accumulate_row(left_.data() + i * kBlock, right_, gram_columns_, count,
                   gram_.data() + i * gram_columns_);
  if (outputs_ == 0) return;

  for (Index b = 0; b < count; ++b) {
    const double* g = samples.grams.row(first + b).data();
    const double* z = samples.queries.row(first + b).data();
    const double* y = targets.row(first + b).data();
    const double weight = weights.size() == 0 ? 1.0 : weights(first + b);
    for (Index column = 0; column < cross_rows_; ++column)
      *slot(left_, column, b) = column < pairs_ ? g[column] : 0.0;
    Index column = 0;
    for (Index l = 0; l < d_; ++l)
      for (Index a = 0; a < outputs_; ++a)
        *slot(right_, column++, b) = weight * z[l] * y[a];
    for (; column < cross_columns_; ++column)
      *slot(right_, column, b) = 0;
  }
  for (Index i = 0; i < cross_rows_; i += 4)
    accumulate_row(left_.data() + i * kBlock, right_, cross_columns_, count,
                   cross_.data() + i * cross_columns_);
}

// The products g_p g_q, p <= q, of a block of samples into the left panels.
void FeatureMoments::pack_pairs(const Samples& samples, Index first, Index count) {
  for (Index b = 0; b < count; ++b) {
    const double* g = samples.grams.row(first + b).data();
    for (Index p = 0; p < pairs_; ++p)
      columns_[static_cast<std::size_t>(p * kBlock + b)] = g[p];
  }
  const double* zeros = columns_.data() + pairs_ * kBlock;
  Index p = 0;
  Index q = 0;
  for (Index column = 0; column < gram_rows_; column += 4) {
    std::array<const double*, 4> left{zeros, zeros, zeros, zeros};
    std::array<const double*, 4> right = left;
    for (std::size_t i = 0; i < 4 && p < pairs_; ++i) {
      left[i] = columns_.data() + p * kBlock;
      right[i] = columns_.data() + q * kBlock;
      if (++q == pairs_) q = ++p;
    }
    pack_products(left, right, count, left_.data() + column * kBlock);
  }
}

Eigen::MatrixXd FeatureMoments::gram() const {
  const Index psi = pairs_ * d_;
  Eigen::MatrixXd result(psi, psi);
  for (Index p = 0; p < pairs_; ++p)
    for (Index q = 0; q < pairs_; ++q) {
      const double* row = gram_.data() + triangle(pairs_, p, q) * gram_columns_;
      for (Index k = 0; k < d_; ++k)
        for (Index l = 0; l < d_; ++l)
          result(p * d_ + k, q * d_ + l) = row[triangle(d_, k, l)];
    }
  return result;
}

Eigen::MatrixXd FeatureMoments::cross() const {
  Eigen::MatrixXd result(pairs_ * d_, outputs_);
  for (Index p = 0; p < pairs_; ++p)
    for (Index l = 0; l < d_; ++l)
      for (Index a = 0; a < outputs_; ++a)
        result(p * d_ + l, a) =
            cross_[static_cast<std::size_t>(p * cross_columns_ + l * outputs_ + a)];
  return result;
}

}  // namespace attnlab::mhla
