#include "mhla/feature_moments.h"

#include <algorithm>

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
      right_(static_cast<std::size_t>(std::max(gram_columns_, cross_columns_) * kBlock)) {}

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
  for (Index b = 0; b < count; ++b) {
    const double* g = samples.grams.row(first + b).data();
    const double* z = samples.queries.row(first + b).data();
    const double weight = weights.size() == 0 ? 1.0 : weights(first + b);
    Index column = 0;
    for (Index p = 0; p < pairs_; ++p)
      for (Index q = p; q < pairs_; ++q)
        *slot(left_, column++, b) = g[p] * g[q];
    for (; column < gram_rows_; ++column)
      *slot(left_, column, b) = 0;
    column = 0;
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
