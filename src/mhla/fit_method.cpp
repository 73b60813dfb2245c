#include "mhla/fit_method.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "core/nearest_name.h"

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
  fail(ErrorCode::kUnknownName, "method",
       "\"" + std::string(name.substr(0, 60)) + "\" is not a method" +
           nearest_name_hint(name, names));
}

std::string_view fit_method_name(FitMethod method) {
  for (const auto& entry : kMethods)
    if (entry.method == method) return entry.name;
  fail(ErrorCode::kInternal, "method", "has no name");
}

}  // namespace attnlab::mhla
