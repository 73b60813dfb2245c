#include "mhla/trace_kernel.h"

#include "core/require.h"

namespace attnlab::mhla {
namespace {

constexpr Index kMostCoordinates = 2048;

double dot(const SparseToken& a, const std::vector<double>& b) {
  double sum = 0;
  for (const RowValue& x : a)
    sum += static_cast<double>(x.value) * b[static_cast<std::size_t>(x.row)];
  return sum;
}

}  // namespace

TraceKernel::TraceKernel(Index d) : d_(d) {
  require_range(static_cast<double>(d), 1, kMostCoordinates, "dimension");
  gram_.assign(static_cast<std::size_t>(d * d), 0.0);
  query_.assign(static_cast<std::size_t>(d), 0.0);
}

void TraceKernel::set(std::span<const SparseToken> prompt) {
  for (const std::size_t place : touched_)
    gram_[place] = 0;
  touched_.clear();
  for (const RowValue& x : last_)
    query_[static_cast<std::size_t>(x.row)] = 0;

  for (const SparseToken& token : prompt)
    for (const RowValue& x : token)
      for (const RowValue& y : token) {
        const auto place = static_cast<std::size_t>(x.row * d_ + y.row);
        gram_[place] += static_cast<double>(x.value * y.value);
        touched_.push_back(place);
      }
  last_ = prompt.back();
  for (const RowValue& x : last_)
    query_[static_cast<std::size_t>(x.row)] = static_cast<double>(x.value);
  self_ = against(prompt);
}

double TraceKernel::quadratic(const SparseToken& token) const {
  double sum = 0;
  for (const RowValue& x : token)
    for (const RowValue& y : token)
      sum += static_cast<double>(x.value * y.value) *
             gram_[static_cast<std::size_t>(x.row * d_ + y.row)];
  return sum;
}

void TraceKernel::append_against(const Trace& trace, std::vector<double>& out) const {
  double grams = 0;
  for (std::size_t t = 0; t + 1 < trace.tokens.size(); ++t) {
    grams += quadratic(trace.tokens[t]);
    if (static_cast<Index>(t) + 1 >= trace.prompt_length)
      out.push_back(grams * dot(trace.tokens[t], query_));
  }
}

double TraceKernel::against(std::span<const SparseToken> prompt) const {
  double grams = 0;
  for (const SparseToken& token : prompt)
    grams += quadratic(token);
  return grams * dot(prompt.back(), query_);
}

}  // namespace attnlab::mhla
