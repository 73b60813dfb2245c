#include "measure/finite_prompt.h"

#include <algorithm>

#include "core/portable.h"

namespace attnlab::measure {

FinitePrompt::FinitePrompt(const VectorRef& direction, std::span<const double> magnitudes,
                           bool covariances)
    : direction_(direction), covariances_(covariances), sums_(magnitudes.size()) {
  for (std::size_t k = 0; k < sums_.size(); ++k)
    sums_[k].magnitude = magnitudes[k];
  clear();
}

void FinitePrompt::clear() {
  const Index d = direction_.size();
  count_ = 0;
  for (auto& sums : sums_) {
    sums.weight = sums.squared = sums.largest = 0;
    sums.first.setZero(d);
    if (covariances_) sums.second.setZero(d, d);
  }
}

void FinitePrompt::rescale(Sums& sums, double largest) const {
  const double factor = portable::exp(sums.largest - largest);
  sums.largest = largest;
  sums.weight *= factor;
  sums.squared *= factor * factor;
  sums.first *= factor;
  if (covariances_) sums.second *= factor;
}

void FinitePrompt::add(const MatrixRef& tokens) {
  if (tokens.rows() == 0) return;
  const Index d = direction_.size();
  scores_.noalias() = tokens * direction_;
  const double top = scores_.maxCoeff();
  for (auto& sums : sums_) {
    const double largest = sums.magnitude * top;
    if (count_ == 0) {
      sums.largest = largest;
    } else if (largest > sums.largest) {
      rescale(sums, largest);
    }
    for (Index i = 0; i < tokens.rows(); ++i) {
      const double w = portable::exp(sums.magnitude * scores_(i) - sums.largest);
      const double* x = tokens.data() + i * tokens.outerStride();
      sums.weight += w;
      sums.squared += w * w;
      for (Index j = 0; j < d; ++j) {
        const double wx = w * x[j];
        sums.first(j) += wx;
        if (!covariances_) continue;
        for (Index k = 0; k <= j; ++k)
          sums.second(j, k) += wx * x[k];
      }
    }
  }
  count_ += tokens.rows();
}

PromptSummary FinitePrompt::summary(std::size_t k) const {
  const Sums& sums = sums_[k];
  PromptSummary result;
  result.mean = sums.first / sums.weight;
  result.effective_sample_size = sums.weight * sums.weight / sums.squared;
  // The largest score has w = 1.
  result.largest_weight = 1 / sums.weight;
  if (covariances_) {
    result.covariance = (sums.second / sums.weight).selfadjointView<Eigen::Lower>();
    result.covariance -= result.mean * result.mean.transpose();
  }
  return result;
}

}  // namespace attnlab::measure
