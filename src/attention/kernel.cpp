#include "attention/kernel.h"

#include <array>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/nearest_name.h"

namespace attnlab::attention {
namespace {

struct NamedKernel {
  Kernel kernel;
  std::string_view name;
};

constexpr std::array<NamedKernel, 7> kKernels{{{Kernel::kSoftmax, "softmax"},
                                               {Kernel::kLinear, "linear"},
                                               {Kernel::kLinearMean, "linear-mean"},
                                               {Kernel::kErf, "erf"},
                                               {Kernel::kSigmoid, "sigmoid"},
                                               {Kernel::kSoftplus, "softplus"},
                                               {Kernel::kRelu, "relu"}}};

}  // namespace

Kernel kernel_named(std::string_view name) {
  std::vector<std::string> known;
  for (const NamedKernel& entry : kKernels) {
    if (entry.name == name) return entry.kernel;
    known.emplace_back(entry.name);
  }
  fail_unknown("kernel", name, known);
}

std::string_view kernel_name(Kernel kernel) {
  for (const NamedKernel& entry : kKernels)
    if (entry.kernel == kernel) return entry.name;
  fail(ErrorCode::kUnknownName, "kernel", "is not a kernel");
}

bool uses_offset(Kernel kernel) {
  return kernel == Kernel::kLinear || kernel == Kernel::kLinearMean || kernel == Kernel::kErf;
}

bool uses_bias(Kernel kernel) {
  return kernel == Kernel::kErf || kernel == Kernel::kSigmoid || kernel == Kernel::kSoftplus ||
         kernel == Kernel::kRelu;
}

}  // namespace attnlab::attention
