// An exact second opinion on what whole-number data determine.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"

namespace attnlab::mhla {

// Symmetric elimination of a kernel of whole numbers modulo the prime 2^31 - 1, sample by sample.
//
// A sample whose remainder is not 0 is proven independent of those before it, over the rationals
// and with no rounding in the argument, as long as those were independent. A remainder of 0 says
// "dependent" but for a chance of about 5e-10.
class ModularSpan {
 public:
  // kernel: k against the chosen samples in their order; self: k(Z, Z). Whole numbers below 2^53.
  // True when the sample is independent of them. Cost rank^2 / 2.
  bool independent(const std::vector<double>& kernel, double self) const;
  // The same, and an independent sample is chosen.
  bool add(const std::vector<double>& kernel, double self);
  Index rank() const { return static_cast<Index>(rows_.size()); }

 private:
  std::uint64_t reduce(std::vector<std::uint64_t>& row, double self) const;

  std::vector<std::vector<std::uint64_t>> rows_;  // L of K = L D L^T, unit diagonal left out
  std::vector<std::uint64_t> inverses_;           // 1 / D
};

}  // namespace attnlab::mhla
