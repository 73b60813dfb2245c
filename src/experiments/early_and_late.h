// A law over n that holds from some n on, cut in two for a figure: solid where it holds, dashed
// before, the dashed part reaching the first point of the solid one.
#pragma once

#include <limits>

namespace attnlab::experiments {

struct EarlyAndLate {
  double early = std::numeric_limits<double>::quiet_NaN();
  double late = std::numeric_limits<double>::quiet_NaN();
};

// held: whether it held at the n before; drawn: whether it is drawn here at all.
inline EarlyAndLate early_and_late(double law, bool holds, bool held, bool drawn) {
  EarlyAndLate parts;
  if (!drawn) return parts;
  if (holds) parts.late = law;
  if (!holds || !held) parts.early = law;
  return parts;
}

}  // namespace attnlab::experiments
