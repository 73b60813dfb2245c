#include "mhla/model.h"

#include <string>

#include "core/require.h"
#include "core/result.h"

namespace attnlab::mhla {

void require_heads(const Heads& heads) {
  if (heads.empty()) fail(ErrorCode::kMissing, "heads", "is empty; at least one head is needed");
  const Index outputs = heads.front().value.rows();
  const Index d = heads.front().query.cols();
  for (std::size_t h = 0; h < heads.size(); ++h) {
    const std::string name = "heads[" + std::to_string(h) + "]";
    require_shape(heads[h].query.rows(), heads[h].query.cols(), d, d, name + ".query");
    require_shape(heads[h].value.rows(), heads[h].value.cols(), outputs, d, name + ".value");
    require_finite(heads[h].query, name + ".query");
    require_finite(heads[h].value, name + ".value");
  }
  if (d < 1 || outputs < 1)
    fail(ErrorCode::kShape, "heads", "matrices without entries; at least 1 x 1 is expected");
}

namespace {

Matrix apply_to_prefixes(const Heads& heads, const MatrixRef& prompt) {
  const Index d = prompt.cols();
  const Index n = prompt.rows();
  Matrix gram = Matrix::Zero(d, d);
  Matrix result = Matrix::Zero(n, heads.front().value.rows());
  Vector asked(d), found(d);
  for (Index t = 0; t < n; ++t) {
    gram.noalias() += prompt.row(t).transpose() * prompt.row(t);
    for (const Head& head : heads) {
      asked.noalias() = head.query * prompt.row(t).transpose();
      found.noalias() = gram * asked;
      result.row(t).noalias() += (head.value * found).transpose();
    }
  }
  return result;
}

Matrix apply_to_whole(const Heads& heads, const MatrixRef& prompt, OutputMode mode) {
  const Index d = prompt.cols();
  const Index n = prompt.rows();
  Matrix gram = Matrix::Zero(d, d);
  for (Index t = 0; t < n; ++t)
    gram.noalias() += prompt.row(t).transpose() * prompt.row(t);
  Matrix map = Matrix::Zero(heads.front().value.rows(), d);
  Matrix found(d, d);
  for (const Head& head : heads) {
    found.noalias() = gram * head.query;
    map.noalias() += head.value * found;
  }
  if (mode == OutputMode::kLast) return prompt.row(n - 1) * map.transpose();
  return prompt * map.transpose();
}

}  // namespace

Matrix apply(const Heads& heads, const MatrixRef& prompt, OutputMode mode) {
  require_heads(heads);
  require_shape(prompt.rows(), prompt.cols(), -1, heads.front().query.cols(), "prompt");
  if (prompt.rows() < 1)
    fail(ErrorCode::kShape, "prompt", "is empty; at least one token is needed");
  require_finite(prompt, "prompt");
  Matrix result = mode == OutputMode::kPrefix ? apply_to_prefixes(heads, prompt)
                                              : apply_to_whole(heads, prompt, mode);
  require_result(result, "heads");
  return result;
}

}  // namespace attnlab::mhla
