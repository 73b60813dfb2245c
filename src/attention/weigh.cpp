#include "attention/weigh.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "attention/kernel_function.h"
#include "attention/tile.h"
#include "core/portable.h"

namespace attnlab::attention {
namespace {

template <class Scalar>
constexpr Scalar kMinusInfinity = -std::numeric_limits<Scalar>::infinity();

// Below this, log(1 + e^x) is e^x to the last bit.
template <class Scalar>
constexpr Scalar kSoftplusTail = std::is_same_v<Scalar, float> ? Scalar{-20} : Scalar{-40};

template <class Scalar>
Scalar exp_of_difference(Scalar lower, Scalar upper) {
  return static_cast<Scalar>(
      portable::exp(static_cast<double>(lower) - static_cast<double>(upper)));
}

// Hidden entries get `hidden`, the others their bias where there is one. Returns the largest.
template <class Scalar>
__attribute__((noinline)) Scalar largest_score(const ScoreRow<Scalar>& row, const Scalar* bias) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  for (Index j = row.seen; j < row.width; ++j)
    row.scores[j] = kMinusInfinity<Scalar>;
  Vector largest0 = simd::splat(kMinusInfinity<Scalar>);
  Vector largest1 = largest0;
  for (Index j = 0; j < row.width; j += 2 * kLanes) {
    auto first = simd::load<Vector>(row.scores + j);
    auto second = simd::load<Vector>(row.scores + j + kLanes);
    if (bias != nullptr) {
      first = first + simd::load<Vector>(bias + j);
      second = second + simd::load<Vector>(bias + j + kLanes);
      simd::store(row.scores + j, first);
      simd::store(row.scores + j + kLanes, second);
    }
    largest0 = simd::max(largest0, first);
    largest1 = simd::max(largest1, second);
  }
  return simd::largest(simd::max(largest0, largest1));
}

// scores = e^(scores - reference); returns their sum. A vector at a time: the constants of two
// would not fit the registers.
template <class Scalar>
__attribute__((noinline)) Scalar exponentiate(Scalar* scores, Index width, Scalar reference) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  const Vector shift = simd::splat(reference);
  Vector sum{};
  for (Index j = 0; j < width; j += kLanes) {
    const Vector power = simd::exp_nonpositive_fast(simd::load<Vector>(scores + j) - shift);
    sum = sum + power;
    simd::store(scores + j, power);
  }
  return simd::sum(sum);
}

template <class Scalar>
__attribute__((noinline)) void scale(Scalar* weights, Index width, Scalar factor) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  for (Index j = 0; j < width; j += kLanes)
    simd::store(weights + j, simd::load<Vector>(weights + j) * simd::splat(factor));
}

// to = factor c f(from), 0 where hidden; returns the sum.
template <class Scalar, class Function>
__attribute__((noinline)) Scalar apply(const ScoreRow<Scalar>& row, Scalar* to, Scalar factor,
                                       Function function) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  const Vector scale = simd::splat(factor);
  for (Index j = 0; j < row.width; j += kLanes) {
    Vector value = function(simd::load<Vector>(row.scores + j)) * scale;
    if (row.counts != nullptr) value = value * simd::load<Vector>(row.counts + j);
    simd::store(to + j, value);
  }
  for (Index j = row.seen; j < row.width; ++j)
    to[j] = 0;
  Vector sum{};
  for (Index j = 0; j < row.width; j += kLanes)
    sum = sum + simd::load<Vector>(to + j);
  return simd::sum(sum);
}

template <class Scalar>
double seen_count(const ScoreRow<Scalar>& row) {
  if (row.counts == nullptr) return static_cast<double>(row.seen);
  double sum = 0;
  for (Index j = 0; j < row.seen; ++j)
    sum += static_cast<double>(row.counts[j]);
  return sum;
}

// The weights of a kernel that is no exponential, times factor.
template <class Scalar>
Scalar apply_kernel(const ScoreRow<Scalar>& row, Scalar factor, const Options& options) {
  using Vector = simd::Pack<Scalar>;
  const auto offset = static_cast<Scalar>(options.offset);
  const auto bias = static_cast<Scalar>(options.bias);
  Scalar* to = row.scores;
  switch (options.kernel) {
    case Kernel::kLinear:
    case Kernel::kLinearMean:
      return apply(row, to, factor, [=](Vector s) { return s + offset; });
    case Kernel::kErf:
      return apply(row, to, factor, [=](Vector s) { return erf(s + bias) + offset; });
    case Kernel::kSigmoid:
      return apply(row, to, factor, [=](Vector s) { return sigmoid(s + bias); });
    case Kernel::kSoftplus:
      return apply(row, to, factor, [=](Vector s) { return softplus(s + bias); });
    case Kernel::kRelu:
      return apply(row, to, factor, [=](Vector s) { return relu(s + bias); });
    case Kernel::kSoftmax:
      break;
  }
  return 0;
}

template <class Scalar>
void apply_slope(const ScoreRow<Scalar>& row, Scalar* slopes, Scalar factor,
                 const Options& options) {
  using Vector = simd::Pack<Scalar>;
  const auto bias = static_cast<Scalar>(options.bias);
  switch (options.kernel) {
    case Kernel::kLinear:
    case Kernel::kLinearMean:
      apply(row, slopes, factor, [](Vector) { return Vector{} + 1; });
      break;
    case Kernel::kErf:
      apply(row, slopes, factor, [=](Vector s) { return erf_slope(s + bias); });
      break;
    case Kernel::kSigmoid:
      apply(row, slopes, factor, [=](Vector s) { return sigmoid_slope(s + bias); });
      break;
    case Kernel::kSoftplus:
      apply(row, slopes, factor, [=](Vector s) { return sigmoid(s + bias); });
      break;
    case Kernel::kRelu:
      apply(row, slopes, factor, [=](Vector s) { return relu_slope(s + bias); });
      break;
    case Kernel::kSoftmax:
      break;
  }
}

// The largest score, with bias, of the tokens that count.
template <class Scalar>
Scalar largest_counted(const ScoreRow<Scalar>& row, Scalar bias) {
  Scalar largest = kMinusInfinity<Scalar>;
  for (Index j = 0; j < row.seen; ++j)
    if ((row.counts == nullptr || row.counts[j] > 0) && row.scores[j] + bias > largest)
      largest = row.scores[j] + bias;
  return largest;
}

// Softplus where all its scores lie in the exponential tail: to = factor c e^(s + bias -
// reference).
template <class Scalar>
Scalar apply_tail(const ScoreRow<Scalar>& row, Scalar* to, Scalar factor, const Options& options,
                  Scalar reference) {
  using Vector = simd::Pack<Scalar>;
  const Scalar shift = static_cast<Scalar>(options.bias) - reference;
  // A token that does not count may exceed the reference.
  return apply(row, to, factor, [=](Vector s) {
    return simd::exp_nonpositive_fast(simd::min(s + shift, Vector{}));
  });
}

// Lets the reference grow; returns the factor for earlier sums.
template <class Scalar>
Scalar raise_reference(RowState<Scalar>& state, Scalar reference) {
  if (!(reference > state.reference)) return 1;
  const Scalar factor = state.total == 0 ? 0 : exp_of_difference(state.reference, reference);
  state.total *= static_cast<double>(factor);
  state.reference = reference;
  return factor;
}

}  // namespace

template <class Scalar>
Scalar accumulate_row(const ScoreRow<Scalar>& row, const Options& options,
                      RowState<Scalar>& state) {
  switch (options.kernel) {
    case Kernel::kSoftmax: {
      const Scalar largest = largest_score(row, row.log_counts);
      if (largest == kMinusInfinity<Scalar>) {  // nothing here counts
        std::fill_n(row.scores, row.width, Scalar{0});
        return 1;
      }
      const Scalar factor = raise_reference(state, largest);
      state.total += static_cast<double>(exponentiate(row.scores, row.width, state.reference));
      return factor;
    }
    case Kernel::kSoftplus: {
      const Scalar largest = largest_counted(row, static_cast<Scalar>(options.bias));
      const Scalar factor =
          raise_reference(state, largest < kSoftplusTail<Scalar> ? largest : Scalar{0});
      const Scalar sum = state.reference < 0
                             ? apply_tail(row, row.scores, Scalar{1}, options, state.reference)
                             : apply_kernel(row, Scalar{1}, options);
      state.total += static_cast<double>(sum);
      return factor;
    }
    case Kernel::kRelu:
      state.total += static_cast<double>(apply_kernel(row, Scalar{1}, options));
      return 1;
    case Kernel::kLinearMean:
      state.total += seen_count(row);
      apply_kernel(row, Scalar{1}, options);
      return 1;
    case Kernel::kLinear:
    case Kernel::kErf:
    case Kernel::kSigmoid:
      state.total = 1;
      apply_kernel(row, Scalar{1}, options);
      return 1;
  }
  return 1;
}

template <class Scalar>
void weigh_row(const ScoreRow<Scalar>& row, Scalar* slopes, const Options& options,
               const RowState<Scalar>& state) {
  const Scalar factor = normaliser(state);
  if (options.kernel == Kernel::kSoftmax) {
    if (factor == 0) {
      std::fill_n(row.scores, row.width, Scalar{0});
    } else {
      // For what it does to the scores.
      if (row.log_counts != nullptr || row.seen < row.width) largest_score(row, row.log_counts);
      exponentiate(row.scores, row.width, state.reference);
      scale(row.scores, row.width, factor);
    }
    if (slopes != nullptr) std::copy_n(row.scores, row.width, slopes);
    return;
  }
  if (options.kernel == Kernel::kSoftplus && state.reference < 0) {
    apply_tail(row, row.scores, factor, options, state.reference);
    if (slopes != nullptr) std::copy_n(row.scores, row.width, slopes);
    return;
  }
  if (slopes != nullptr) apply_slope(row, slopes, factor, options);
  apply_kernel(row, factor, options);
}

template <class Scalar>
Scalar normaliser(const RowState<Scalar>& state) {
  return state.total == 0 ? Scalar{0} : static_cast<Scalar>(1 / state.total);
}

bool divides_by_sum(Kernel kernel) {
  return kernel == Kernel::kSoftmax || kernel == Kernel::kSoftplus || kernel == Kernel::kRelu;
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                 \
  template Scalar accumulate_row<Scalar>(const ScoreRow<Scalar>&, const Options&,   \
                                         RowState<Scalar>&);                        \
  template void weigh_row<Scalar>(const ScoreRow<Scalar>&, Scalar*, const Options&, \
                                  const RowState<Scalar>&);                         \
  template Scalar normaliser<Scalar>(const RowState<Scalar>&);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention
