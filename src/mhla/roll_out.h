// What a learned program says when it goes on by itself.
#pragma once

#include <span>

#include "core/types.h"
#include "mhla/trace.h"
#include "mhla/trace_learning.h"

namespace attnlab::mhla {

// The token nearest to an output: in each field (fields as in the layouts) the largest entry
// becomes 1 if it is above 1/2, everything else 0.
SparseToken round_to_token(const VectorRef& output, std::span<const Index> fields);

// Continues the prompt of `trace` by the learner's own rounded outputs, as many steps as the trace
// has. Rounding an output to nothing ends the roll-out early.
class RollOut {
 public:
  RollOut(TraceLearner& learner, std::span<const Index> fields, const Trace& trace);
  bool step();  // one token; true at the end
  const Trace& trace() const { return trace_; }
  // Steps that were certified, among those made.
  Index certified() const { return certified_; }

 private:
  TraceLearner& learner_;
  std::span<const Index> fields_;
  Trace trace_;
  Index wanted_;
  Index certified_ = 0;
};

}  // namespace attnlab::mhla
