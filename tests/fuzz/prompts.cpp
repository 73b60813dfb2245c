#include "prompts.h"

#include <vector>

namespace attnlab::fuzz {

mhla::Prompts draw_prompts(Input& input, Index d, Index most, std::string_view parameter) {
  std::vector<Matrix> prompts;
  const bool plain = input.flag();
  for (Index count = input.count(0, most); count > 0; --count) {
    const Index length = input.byte() == 9 ? 0 : input.count(1, 4);
    prompts.push_back(plain ? input.plain_matrix(length, d) : input.matrix(length, d));
  }
  return mhla::join_prompts(prompts, parameter);
}

mhla::Samples draw_samples(Input& input, Index d, Index most, std::string_view parameter) {
  const auto kind = input.byte() % 4;
  const auto prompts = draw_prompts(input, d, most, parameter);
  if (kind == 0) return mhla::full_samples(prompts);
  if (kind == 1) return mhla::prefix_samples(prompts);
  return mhla::last_samples(prompts);
}

}  // namespace attnlab::fuzz
