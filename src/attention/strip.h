// A strip of queries and its scores on a block of tokens.
#pragma once

#include <array>
#include <limits>

#include "attention/tile.h"
#include "core/simd.h"
#include "core/types.h"

namespace attnlab::attention {

// One number for each query of a strip, which is a panel's width of queries.
template <class Scalar, class Number = Scalar>
using StripOf = std::array<Number, static_cast<std::size_t>(kPanelWidth<Scalar>)>;

// What the queries of a strip have seen of their keys so far. Weights are kept as multiples of
// e^reference, so that exponentials of large scores never overflow nor all vanish; of kernels
// without an exponential it stays -Infinity and is not read.
template <class Scalar>
struct StripState {
  StripState() { reference.fill(-std::numeric_limits<Scalar>::infinity()); }

  StripOf<Scalar> reference;
  // What the sums over tokens are divided by, without their factor e^reference.
  StripOf<Scalar, double> total{};
};

// Scores of a strip: those of token j follow each other at scores + j stride. Query c sees the
// tokens before seen[c]; the others get the weight 0. counts and log_counts are the token weights
// and their logarithms, or null where all are one.
template <class Scalar>
struct ScoreStrip {
  Scalar* scores;
  Index stride;
  Index count;  // of tokens
  StripOf<Scalar, Index> seen;
  const Scalar* counts;
  const Scalar* log_counts;
};

// The half of a strip's numbers that starts at lane `from`: one vector.
template <class Scalar>
simd::Pack<Scalar> half(const StripOf<Scalar>& numbers, Index from) {
  return simd::load<simd::Pack<Scalar>>(numbers.data() + from);
}

// What hidden tokens have instead of their own; numbers lie as the strip's scores do.
template <class Scalar>
void hide(const ScoreStrip<Scalar>& strip, Scalar* numbers, Scalar instead) {
  for (std::size_t c = 0; c < strip.seen.size(); ++c)
    for (Index j = strip.seen[c]; j < strip.count; ++j)
      numbers[j * strip.stride + static_cast<Index>(c)] = instead;
}

}  // namespace attnlab::attention
