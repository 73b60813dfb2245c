#include "problems.h"

#include <limits>

namespace attnlab::fuzz {

needle::Problem draw_problem(Input& input, Index longest) {
  needle::Problem problem;
  const bool spiked = input.flag();
  problem.model = spiked ? needle::Model::kSpiked : needle::Model::kMax;
  switch (input.byte() % 8) {
    case 0:
      problem.snr = input.number();
      break;
    case 1:
      problem.snr = spiked ? 1000 : std::numeric_limits<double>::infinity();
      break;
    default:
      problem.snr = input.between(0, spiked ? 60 : 20);
  }
  problem.lengths.minimum = input.byte() == 9 ? input.count(0, 2000) - 2 : input.count(1, longest);
  problem.lengths.maximum =
      problem.lengths.minimum + (input.byte() < 32 ? input.count(0, 5) - 1 : 0);
  if (input.flag()) problem.noise = input.flag() ? 0.5 : input.number();
  return problem;
}

needle::Kernel draw_kernel(Input& input) {
  using needle::Kernel;
  static constexpr Kernel kKernels[] = {Kernel::kSoftmax,  Kernel::kLinear, Kernel::kErf,
                                        Kernel::kSoftplus, Kernel::kRelu,   Kernel::kCentredLinear,
                                        Kernel::kErfToken};
  return input.one_of(kKernels);
}

}  // namespace attnlab::fuzz
