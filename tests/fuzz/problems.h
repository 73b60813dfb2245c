// Problems of single-location regression for the targets that need one.
#pragma once

#include "input.h"
#include "needle/model.h"
#include "needle/predictor.h"

namespace attnlab::fuzz {

// Mostly within what is allowed; `longest` bounds the lengths that are.
needle::Problem draw_problem(Input& input, Index longest);
needle::Kernel draw_kernel(Input& input);

}  // namespace attnlab::fuzz
