// What needle.bayes-amp says of itself.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kNeedleBayesAmp = {"needle.bayes-amp", "needle", 4};
const Descriptor& needle_bayes_amp_descriptor();

}  // namespace attnlab::experiments
