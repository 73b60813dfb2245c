// The ways of a least-squares fit, by name.
#pragma once

#include <string_view>

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

}  // namespace attnlab::mhla
