// Population risk at any parameters, on or off the manifold, for any kernel, by Monte Carlo over
// the scores only: given them, the outputs are Gaussian and are averaged exactly (arXiv 2509.21936,
// Section 3; the reduction is derived here).
#pragma once

#include <functional>

#include "core/random.h"
#include "needle/population_risk.h"

namespace attnlab::needle {

// Inner products of (k*, v*, k, v) over D. The first two are unit and orthogonal.
struct Overlaps {
  double key = 0;           // m_k   = k.k*/D
  double key_power = 0;     // q_k   = k.k/D
  double value = 0;         // m_v   = v.v*/D
  double value_power = 0;   // q_v   = v.v/D
  double key_on_value = 0;  // m_kv* = k.v*/D
  double value_on_key = 0;  // m_vk* = v.k*/D
  double key_value = 0;     // q_vk  = k.v/D
};

// The overlaps of given vectors with a teacher of the same dimension.
struct Teacher;
Overlaps overlaps_of(const VectorRef& key, const VectorRef& value, const Teacher& teacher);

// E (z*_needle - sigma(chi).z)^2 with its standard error from `samples` prompts. Two control
// variates with known means (the needle's score, the power of the scores) take out part of the
// variance. Equal streams give common random numbers, so differences between kernels or parameters
// are more accurate than the errors say. Throws kDomain ("overlaps") when no vectors have them.
RiskEstimate risk_monte_carlo(const Problem& problem, Kernel kernel, double bias,
                              const Overlaps& overlaps, Index samples, RandomStream& random);

// The same for any rule that turns scores into weights.
using WeightRule = std::function<void(const double* scores, Index length, double* weights)>;
RiskEstimate risk_monte_carlo(const Problem& problem, const WeightRule& rule,
                              const Overlaps& overlaps, Index samples, RandomStream& random);

}  // namespace attnlab::needle
