// Prompts of the fixed cases, which are written as the paper writes them: d x n, a column a token.
#pragma once

#include <string>
#include <vector>

#include "mhla/features.h"
#include "mhla/model.h"
#include "mhla/prompts.h"
#include "reference.h"

namespace attnlab::tests {

inline std::vector<Matrix> case_prompts(const nlohmann::json& list) {
  std::vector<Matrix> prompts;
  for (const auto& z : list)
    prompts.emplace_back(to_matrix(z).transpose());
  return prompts;
}

inline mhla::Samples case_samples(const nlohmann::json& list) {
  return mhla::last_samples(mhla::join_prompts(case_prompts(list)));
}

inline mhla::Heads case_heads(const nlohmann::json& values, const nlohmann::json& queries) {
  mhla::Heads heads;
  for (std::size_t h = 0; h < values.size(); ++h)
    heads.push_back({to_matrix(values[h]), to_matrix(queries[h])});
  return heads;
}

}  // namespace attnlab::tests
