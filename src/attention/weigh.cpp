#include "attention/weigh.h"

#include <algorithm>
#include <type_traits>

#include "attention/kernel_weights.h"
#include "core/portable.h"
#include "core/simd_math.h"

namespace attnlab::attention {
namespace {

template <class Scalar>
constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;

template <class Scalar>
constexpr Scalar kMinusInfinity = -std::numeric_limits<Scalar>::infinity();

// Below this, log(1 + e^x) is e^x to the last bit.
template <class Scalar>
constexpr Scalar kSoftplusTail = std::is_same_v<Scalar, float> ? Scalar{-20} : Scalar{-40};

// So many weights are summed in Scalar before their sum is added to one in double.
constexpr Index kSummedTokens = 64;

template <class Scalar>
Scalar exp_of_difference(Scalar lower, Scalar upper) {
  return static_cast<Scalar>(
      portable::exp(static_cast<double>(lower) - static_cast<double>(upper)));
}

template <class Scalar>
__attribute__((noinline)) void add_bias(const ScoreStrip<Scalar>& strip, const Scalar* bias) {
  using Vector = simd::Pack<Scalar>;
  Scalar* at = strip.scores;
  for (Index j = 0; j < strip.count; ++j, at += strip.stride) {
    const Vector added = simd::splat(bias[j]);
    simd::store(at, simd::load<Vector>(at) + added);
    simd::store(at + kLanes<Scalar>, simd::load<Vector>(at + kLanes<Scalar>) + added);
  }
}

// Of each query the largest score of a token that counts.
template <class Scalar>
__attribute__((noinline)) StripOf<Scalar> largest_scores(const ScoreStrip<Scalar>& strip) {
  using Vector = simd::Pack<Scalar>;
  Vector first = simd::splat(kMinusInfinity<Scalar>);
  Vector second = first;
  const Scalar* at = strip.scores;
  for (Index j = 0; j < strip.count; ++j, at += strip.stride) {
    if (strip.counts != nullptr && strip.counts[j] == 0) continue;
    first = simd::max(first, simd::load<Vector>(at));
    second = simd::max(second, simd::load<Vector>(at + kLanes<Scalar>));
  }
  StripOf<Scalar> result;
  simd::store(result.data(), first);
  simd::store(result.data() + kLanes<Scalar>, second);
  return result;
}

// Half of a strip's scores become e^(scores - reference); returns their sums.
template <class Scalar>
__attribute__((noinline)) simd::Pack<Scalar> exponentiate(Scalar* scores, Index stride, Index count,
                                                          simd::Pack<Scalar> reference) {
  using Vector = simd::Pack<Scalar>;
  Vector sum{};
  for (Index j = 0; j < count; ++j, scores += stride) {
    const Vector power = simd::exp_nonpositive_fast(simd::load<Vector>(scores) - reference);
    sum = sum + power;
    simd::store(scores, power);
  }
  return sum;
}

template <class Scalar>
void exponentiate(const ScoreStrip<Scalar>& strip, const StripOf<Scalar>& references,
                  StripOf<Scalar, double>& totals) {
  StripOf<Scalar> finite = references;
  for (Scalar& reference : finite)  // where nothing counts, all is -Infinity and becomes 0
    if (reference == kMinusInfinity<Scalar>) reference = 0;
  StripOf<Scalar> sums;
  for (Index j = 0; j < strip.count; j += kSummedTokens) {
    const Index count = std::min(kSummedTokens, strip.count - j);
    for (Index lane = 0; lane < kPanelWidth<Scalar>; lane += kLanes<Scalar>)
      simd::store(sums.data() + lane,
                  exponentiate<Scalar>(strip.scores + j * strip.stride + lane, strip.stride, count,
                                       half(finite, lane)));
    for (std::size_t c = 0; c < sums.size(); ++c)
      totals[c] += static_cast<double>(sums[c]);
  }
}

// weights *= factors, and a copy of them where one is wanted.
template <class Scalar>
__attribute__((noinline)) void scale(const ScoreStrip<Scalar>& strip,
                                     const StripOf<Scalar>& factors, Scalar* copy) {
  using Vector = simd::Pack<Scalar>;
  const Vector first = half(factors, 0);
  const Vector second = half(factors, kLanes<Scalar>);
  Scalar* at = strip.scores;
  for (Index j = 0; j < strip.count; ++j, at += strip.stride) {
    const Vector left = simd::load<Vector>(at) * first;
    const Vector right = simd::load<Vector>(at + kLanes<Scalar>) * second;
    simd::store(at, left);
    simd::store(at + kLanes<Scalar>, right);
    if (copy == nullptr) continue;
    simd::store(copy, left);
    simd::store(copy + kLanes<Scalar>, right);
    copy += strip.stride;
  }
}

template <class Scalar>
void add_sums(const ScoreStrip<Scalar>& strip, StripState<Scalar>& state) {
  for (Index first = 0; first < strip.count; first += kSummedTokens) {
    StripOf<Scalar> sums{};
    const Index end = std::min(first + kSummedTokens, strip.count);
    for (Index j = first; j < end; ++j)
      for (std::size_t c = 0; c < sums.size(); ++c)
        sums[c] += strip.scores[j * strip.stride + static_cast<Index>(c)];
    for (std::size_t c = 0; c < sums.size(); ++c)
      state.total[c] += static_cast<double>(sums[c]);
  }
}

template <class Scalar>
double seen_count(const ScoreStrip<Scalar>& strip, std::size_t c) {
  if (strip.counts == nullptr) return static_cast<double>(strip.seen[c]);
  double sum = 0;
  for (Index j = 0; j < strip.seen[c]; ++j)
    sum += static_cast<double>(strip.counts[j]);
  return sum;
}

// Lets a reference grow; returns the factor for earlier sums.
template <class Scalar>
Scalar raise_reference(StripState<Scalar>& state, std::size_t c, Scalar reference) {
  if (!(reference > state.reference[c])) return 1;
  const Scalar factor = state.total[c] == 0 ? 1 : exp_of_difference(state.reference[c], reference);
  state.total[c] *= static_cast<double>(factor);
  state.reference[c] = reference;
  return factor;
}

template <class Scalar>
StripOf<Scalar> raise_references(StripState<Scalar>& state, const StripOf<Scalar>& references) {
  StripOf<Scalar> factors;
  for (std::size_t c = 0; c < factors.size(); ++c)
    factors[c] = raise_reference(state, c, references[c]);
  return factors;
}

// Softmax's scores as they are compared: with the logarithms of the token weights, hidden ones
// -Infinity.
template <class Scalar>
void prepare_scores(const ScoreStrip<Scalar>& strip) {
  hide(strip, strip.scores, kMinusInfinity<Scalar>);
  if (strip.log_counts != nullptr) add_bias(strip, strip.log_counts);
}

}  // namespace

template <class Scalar>
StripOf<Scalar> accumulate_strip(const ScoreStrip<Scalar>& strip, const Options& options,
                                 StripState<Scalar>& state) {
  StripOf<Scalar> ones;
  ones.fill(1);
  switch (options.kernel) {
    case Kernel::kSoftmax: {
      prepare_scores(strip);
      const StripOf<Scalar> factors = raise_references(state, largest_scores(strip));
      exponentiate(strip, state.reference, state.total);
      return factors;
    }
    case Kernel::kSoftplus: {
      hide(strip, strip.scores, kMinusInfinity<Scalar>);
      StripOf<Scalar> references = largest_scores(strip);
      for (Scalar& reference : references) {
        reference += static_cast<Scalar>(options.bias);
        if (!(reference < kSoftplusTail<Scalar>)) reference = 0;
      }
      const StripOf<Scalar> factors = raise_references(state, references);
      apply_kernel(strip, ones, options, state.reference);
      add_sums(strip, state);
      return factors;
    }
    case Kernel::kRelu:
      apply_kernel(strip, ones, options, state.reference);
      add_sums(strip, state);
      return ones;
    case Kernel::kLinearMean:
      for (std::size_t c = 0; c < state.total.size(); ++c)
        state.total[c] += seen_count(strip, c);
      apply_kernel(strip, ones, options, state.reference);
      return ones;
    case Kernel::kLinear:
    case Kernel::kErf:
    case Kernel::kSigmoid:
      state.total.fill(1);
      apply_kernel(strip, ones, options, state.reference);
      return ones;
  }
  return ones;
}

template <class Scalar>
void weigh_strip(const ScoreStrip<Scalar>& strip, Scalar* slopes, const Options& options,
                 const StripState<Scalar>& state) {
  StripOf<Scalar> factors;
  for (std::size_t c = 0; c < factors.size(); ++c)
    factors[c] = normaliser<Scalar>(state.total[c]);
  if (options.kernel == Kernel::kSoftmax) {
    prepare_scores(strip);
    auto unused = state.total;
    exponentiate(strip, state.reference, unused);
    scale(strip, factors, slopes);
    return;
  }
  if (slopes != nullptr) apply_slope(strip, slopes, factors, options, state.reference);
  apply_kernel(strip, factors, options, state.reference);
}

template <class Scalar>
Scalar normaliser(double total) {
  return total == 0 ? Scalar{0} : static_cast<Scalar>(1 / total);
}

bool divides_by_sum(Kernel kernel) {
  return kernel == Kernel::kSoftmax || kernel == Kernel::kSoftplus || kernel == Kernel::kRelu;
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                            \
  template StripOf<Scalar> accumulate_strip<Scalar>(const ScoreStrip<Scalar>&, const Options&, \
                                                    StripState<Scalar>&);                      \
  template void weigh_strip<Scalar>(const ScoreStrip<Scalar>&, Scalar*, const Options&,        \
                                    const StripState<Scalar>&);                                \
  template Scalar normaliser<Scalar>(double);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention
