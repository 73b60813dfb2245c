// Checks of what is about to be given back.
#pragma once

#include <string_view>

#include "core/types.h"

namespace attnlab {

// Every entry finite: else it has left the range of a double on the way. Throws kOutOfRange with
// `parameter`, which is what has to be smaller.
void require_result(const MatrixRef& result, std::string_view parameter);
void require_result(double result, std::string_view parameter);

}  // namespace attnlab
