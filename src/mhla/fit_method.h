// The ways of a least-squares fit, by name.
#pragma once

#include <string_view>

#include "core/types.h"

namespace attnlab::mhla {

enum class FitMethod {
  kAuto,      // dual if N < psi, else Cholesky, else TSQR, else SVD, as the data allow
  kCholesky,  // scaled Gram matrix, refined by residuals in data space
  kTsqr,      // streamed QR
  kSvd,       // streamed QR, then the singular values of R decide the rank
  kDual       // kernel form, memory N^2
};
// "auto", "cholesky", "tsqr", "svd", "dual"; throws kUnknownName ("method").
FitMethod fit_method(std::string_view name);
std::string_view fit_method_name(FitMethod method);

// kDual where the choice is free and there are fewer samples than features, else `method`.
FitMethod chosen_method(FitMethod method, Index samples, Index d);
// Bytes that a fit by the chosen way needs, samples and answer included.
double fit_bytes(Index samples, Index d, Index outputs, FitMethod method);

}  // namespace attnlab::mhla
