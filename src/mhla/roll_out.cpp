#include "mhla/roll_out.h"

#include <utility>

namespace attnlab::mhla {

SparseToken round_to_token(const VectorRef& output, std::span<const Index> fields) {
  SparseToken token;
  for (std::size_t f = 0; f + 1 < fields.size(); ++f) {
    if (fields[f] == fields[f + 1]) continue;
    Index place = 0;
    const double largest = output.segment(fields[f], fields[f + 1] - fields[f]).maxCoeff(&place);
    if (largest > 0.5) token.push_back({fields[f] + place, 1});
  }
  return token;
}

RollOut::RollOut(TraceLearner& learner, std::span<const Index> fields, const Trace& trace)
    : learner_(learner), fields_(fields), wanted_(static_cast<Index>(trace.tokens.size())) {
  trace_.prompt_length = trace.prompt_length;
  trace_.tokens.assign(trace.tokens.begin(),
                       trace.tokens.begin() + static_cast<std::ptrdiff_t>(trace.prompt_length));
}

bool RollOut::step() {
  if (static_cast<Index>(trace_.tokens.size()) >= wanted_) return true;
  const TracePrediction prediction = learner_.predict(trace_.tokens);
  SparseToken token = round_to_token(prediction.output, fields_);
  if (prediction.certified) ++certified_;
  if (token.empty()) return true;
  trace_.tokens.push_back(std::move(token));
  return static_cast<Index>(trace_.tokens.size()) >= wanted_;
}

}  // namespace attnlab::mhla
