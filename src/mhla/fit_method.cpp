#include "mhla/fit_method.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "core/nearest_name.h"
#include "mhla/feature_factor.h"
#include "mhla/features.h"

namespace attnlab::mhla {
namespace {

struct MethodName {
  FitMethod method;
  const char* name;
};
constexpr MethodName kMethods[] = {{FitMethod::kAuto, "auto"},
                                   {FitMethod::kCholesky, "cholesky"},
                                   {FitMethod::kTsqr, "tsqr"},
                                   {FitMethod::kSvd, "svd"},
                                   {FitMethod::kDual, "dual"}};

}  // namespace

FitMethod fit_method(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& entry : kMethods) {
    if (entry.name == name) return entry.method;
    names.emplace_back(entry.name);
  }
  fail_unknown("method", name, names);
}

std::string_view fit_method_name(FitMethod method) {
  for (const auto& entry : kMethods)
    if (entry.method == method) return entry.name;
  fail(ErrorCode::kInternal, "method", "has no name");
}

FitMethod chosen_method(FitMethod method, Index samples, Index d) {
  if (method != FitMethod::kAuto) return method;
  return samples < feature_count(d) ? FitMethod::kDual : FitMethod::kAuto;
}

double fit_bytes(Index sample_count, Index d, Index outputs, FitMethod method) {
  const auto n = static_cast<double>(sample_count);
  const auto psi = static_cast<double>(feature_count(d));
  const auto m = static_cast<double>(outputs);
  const double samples = 8 * n * static_cast<double>(pair_count(d) + d + outputs);
  const double answer = 8 * 3 * psi * m;
  if (method == FitMethod::kDual) return samples + answer + 8 * n * (n + 3 * m);
  return samples + answer + FeatureFactor::bytes(d, outputs);
}

}  // namespace attnlab::mhla
