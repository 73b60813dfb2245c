#include "core/result.h"

#include <cmath>

#include "core/error.h"

namespace attnlab {

void require_result(double result, std::string_view parameter) {
  if (!std::isfinite(result))
    fail(ErrorCode::kOutOfRange, parameter,
         "gives a result outside the range of a double; smaller numbers are expected");
}

void require_result(const MatrixRef& result, std::string_view parameter) {
  for (Index i = 0; i < result.rows(); ++i)
    for (Index j = 0; j < result.cols(); ++j)
      require_result(result(i, j), parameter);
}

}  // namespace attnlab
