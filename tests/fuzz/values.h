// Parameter values for an experiment, right and wrong ones.
#pragma once

#include "experiments/descriptor.h"
#include "input.h"

namespace attnlab::fuzz {

// A value of the parameter's type, mostly within its limits and there mostly near the smaller end,
// so that a run stays short.
experiments::Value draw_value(Input& input, const experiments::Parameter& parameter);
// Any value of any type.
experiments::Value draw_any_value(Input& input);

}  // namespace attnlab::fuzz
