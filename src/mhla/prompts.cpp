#include "mhla/prompts.h"

#include <cmath>
#include <string>

#include "core/require.h"

namespace attnlab::mhla {
namespace {

void require_tokens(const MatrixRef& tokens, std::string_view parameter) {
  require_finite(tokens, parameter);
  const double largest = tokens.size() == 0 ? 0.0 : tokens.cwiseAbs().maxCoeff();
  if (largest > kLargestEntry)
    fail(ErrorCode::kOutOfRange, parameter,
         "has an entry of size " + show(largest) + "; at most " + show(kLargestEntry) +
             " is allowed, since features are products of three entries");
}

std::string nth(std::string_view parameter, std::size_t i) {
  return std::string(parameter) + "[" + std::to_string(i) + "]";
}

}  // namespace

Prompts join_prompts(std::span<const Matrix> prompts, std::string_view parameter) {
  if (prompts.empty())
    fail(ErrorCode::kMissing, parameter, "is empty; at least one prompt is needed");
  const Index d = prompts.front().cols();
  if (d == 0) fail(ErrorCode::kShape, parameter, "has tokens without coordinates");
  Prompts joined;
  joined.starts.reserve(prompts.size() + 1);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const Matrix& prompt = prompts[i];
    if (prompt.rows() == 0)
      fail(ErrorCode::kShape, nth(parameter, i), "is empty; a prompt has at least one token");
    if (prompt.cols() != d)
      fail(ErrorCode::kShape, nth(parameter, i),
           "has tokens of " + std::to_string(prompt.cols()) + " coordinates; " + nth(parameter, 0) +
               " has " + std::to_string(d));
    require_tokens(prompt, nth(parameter, i));
    joined.starts.push_back(joined.starts.back() + prompt.rows());
  }
  joined.tokens.resize(joined.starts.back(), d);
  for (std::size_t i = 0; i < prompts.size(); ++i)
    joined.tokens.middleRows(joined.starts[i], prompts[i].rows()) = prompts[i];
  return joined;
}

Prompts equal_prompts(const MatrixRef& tokens, Index length, std::string_view parameter) {
  if (length < 1) fail(ErrorCode::kOutOfRange, parameter, "prompts have at least one token");
  if (tokens.rows() == 0)
    fail(ErrorCode::kMissing, parameter, "is empty; at least one prompt is needed");
  if (tokens.rows() % length != 0)
    fail(ErrorCode::kShape, parameter,
         "has " + std::to_string(tokens.rows()) + " rows, which is no multiple of the length " +
             std::to_string(length));
  Prompts prompts;
  prompts.tokens = tokens;
  for (Index end = length; end <= tokens.rows(); end += length)
    prompts.starts.push_back(end);
  require_prompts(prompts, parameter);
  return prompts;
}

void require_prompts(const Prompts& prompts, std::string_view parameter) {
  if (prompts.count() < 1)
    fail(ErrorCode::kMissing, parameter, "is empty; at least one prompt is needed");
  if (prompts.dimension() < 1) fail(ErrorCode::kShape, parameter, "has tokens without coordinates");
  if (prompts.starts.front() != 0 || prompts.starts.back() != prompts.tokens.rows())
    fail(ErrorCode::kShape, parameter, "prompts do not cover the token rows");
  for (Index i = 0; i < prompts.count(); ++i)
    if (prompts.length(i) < 1)
      fail(ErrorCode::kShape, nth(parameter, static_cast<std::size_t>(i)),
           "is empty; a prompt has at least one token");
  require_tokens(prompts.tokens, parameter);
}

}  // namespace attnlab::mhla
