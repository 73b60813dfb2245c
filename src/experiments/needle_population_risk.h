// What needle.population-risk says of itself, and the predictors it compares.
#pragma once

#include "experiments/descriptor.h"
#include "experiments/needle_setup.h"

namespace attnlab::experiments {

inline constexpr Identity kNeedlePopulationRisk = {"needle.population-risk", "needle", 2};
const Descriptor& needle_population_risk_descriptor();

inline const KernelColumns kRiskKernels[] = {
    {needle::Kernel::kSoftmax, "softmax", "softmax", "softmax"},
    {needle::Kernel::kSoftplus, "softplus", "softplus", "softplus"},
    {needle::Kernel::kErf, "erf", "erf", "erf"},
    {needle::Kernel::kLinear, "linear", "linear", "linear"},
    {needle::Kernel::kCentredLinear, "centredLinear", "centred linear", ""},
    {needle::Kernel::kRelu, "relu", "relu", "relu"}};
constexpr std::size_t kLinearNumber = 3;

}  // namespace attnlab::experiments
