#include "attention/kernel_weights.h"

#include "attention/kernel_function.h"

namespace attnlab::attention {
namespace {

// to = factor c f(score, reference), 0 where hidden.
template <class Scalar, class Function>
__attribute__((noinline)) void apply(const ScoreStrip<Scalar>& strip, Scalar* to,
                                     const StripOf<Scalar>& factors,
                                     const StripOf<Scalar>& references, Function function) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  for (Index lane = 0; lane < kPanelWidth<Scalar>; lane += kLanes) {
    const Vector factor = half(factors, lane);
    const Vector reference = half(references, lane);
    for (Index j = 0; j < strip.count; ++j) {
      const Index at = j * strip.stride + lane;
      Vector value = function(simd::load<Vector>(strip.scores + at), reference) * factor;
      if (strip.counts != nullptr) value = value * simd::splat(strip.counts[j]);
      simd::store(to + at, value);
    }
  }
  hide(strip, to, Scalar{0});
}

// e^(s + bias - reference), for softplus where all scores of a query lie in its tail. A token that
// does not count may exceed the reference.
template <class Vector>
Vector tail(Vector biased, Vector reference) {
  return simd::exp_nonpositive_fast(simd::min(biased - reference, Vector{}));
}

}  // namespace

template <class Scalar>
void apply_kernel(const ScoreStrip<Scalar>& strip, const StripOf<Scalar>& factors,
                  const Options& options, const StripOf<Scalar>& references) {
  using Vector = simd::Pack<Scalar>;
  const auto offset = static_cast<Scalar>(options.offset);
  const auto bias = static_cast<Scalar>(options.bias);
  const auto run = [&](auto function) {
    apply(strip, strip.scores, factors, references, function);
  };
  switch (options.kernel) {
    case Kernel::kLinear:
    case Kernel::kLinearMean:
      return run([=](Vector s, Vector) { return s + offset; });
    case Kernel::kErf:
      return run([=](Vector s, Vector) { return erf(s + bias) + offset; });
    case Kernel::kSigmoid:
      return run([=](Vector s, Vector) { return sigmoid(s + bias); });
    case Kernel::kSoftplus:
      return run([=](Vector s, Vector reference) {
        return simd::select((MaskOf<Vector>)(reference < 0), tail(s + bias, reference),
                            softplus(s + bias));
      });
    case Kernel::kRelu:
      return run([=](Vector s, Vector) { return relu(s + bias); });
    case Kernel::kSoftmax:
      break;
  }
}

template <class Scalar>
void apply_slope(const ScoreStrip<Scalar>& strip, Scalar* slopes, const StripOf<Scalar>& factors,
                 const Options& options, const StripOf<Scalar>& references) {
  using Vector = simd::Pack<Scalar>;
  const auto bias = static_cast<Scalar>(options.bias);
  const auto run = [&](auto function) { apply(strip, slopes, factors, references, function); };
  switch (options.kernel) {
    case Kernel::kLinear:
    case Kernel::kLinearMean:
      return run([](Vector, Vector) { return Vector{} + 1; });
    case Kernel::kErf:
      return run([=](Vector s, Vector) { return erf_slope(s + bias); });
    case Kernel::kSigmoid:
      return run([=](Vector s, Vector) { return sigmoid_slope(s + bias); });
    case Kernel::kSoftplus:
      return run([=](Vector s, Vector reference) {
        return simd::select((MaskOf<Vector>)(reference < 0), tail(s + bias, reference),
                            sigmoid(s + bias));
      });
    case Kernel::kRelu:
      return run([=](Vector s, Vector) { return relu_slope(s + bias); });
    case Kernel::kSoftmax:
      break;
  }
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                             \
  template void apply_kernel<Scalar>(const ScoreStrip<Scalar>&, const StripOf<Scalar>&,         \
                                     const Options&, const StripOf<Scalar>&);                   \
  template void apply_slope<Scalar>(const ScoreStrip<Scalar>&, Scalar*, const StripOf<Scalar>&, \
                                    const Options&, const StripOf<Scalar>&);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention
