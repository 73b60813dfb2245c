#include "mhla/roll_out.h"

#include <doctest/doctest.h>

#include "mhla/automaton_attention.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("rounding takes the largest entry of each field if it is above one half") {
  const std::vector<Index> fields{0, 2, 2, 5};
  const Vector output = (Vector(5) << 0.4, 0.45, 0.6, 0.9, -3.0).finished();
  CHECK(round_to_token(output, fields) == SparseToken{{3, 1}});
  const Vector other = (Vector(5) << 0.51, 0.2, 0.5, 0.1, 0.0).finished();
  CHECK(round_to_token(other, fields) == SparseToken{{0, 1}});
}

TEST_CASE("from three quarters of all traces every unseen automaton is rolled out exactly") {
  const auto layout = automaton_layout(2, 2, 2);
  SparseAttention attention(universal_automaton_heads(layout));
  RandomStream stream(1, 1);
  std::vector<Trace> traces, others;
  for (const auto number : distinct_numbers(128, 128, stream))
    (traces.size() < 96 ? traces : others)
        .push_back(execute(layout, attention, automaton_input(2, 2, 2, number)).trace);
  TraceLearner learner(layout.dimension(), traces);
  while (!learner.step()) {
  }
  const auto fields = layout.fields();
  for (const Trace& trace : others) {
    RollOut roll(learner, fields, trace);
    while (!roll.step()) {
    }
    CHECK(roll.trace().tokens == trace.tokens);
    CHECK(roll.certified() == 4);
    CHECK(decode_states(layout, roll.trace()) == decode_states(layout, trace));
  }
}

TEST_CASE("a roll-out that has nothing to say ends early") {
  const auto layout = automaton_layout(2, 2, 2);
  SparseAttention attention(universal_automaton_heads(layout));
  // Learned from start state 0 only, asked from start state 1.
  const Trace known = execute(layout, attention, {{2, 2, {0, 1, 1, 0}}, {0, 1}, 0}).trace;
  const Trace asked = execute(layout, attention, {{2, 2, {0, 1, 1, 0}}, {0, 1}, 1}).trace;
  TraceLearner learner(layout.dimension(), {known});
  while (!learner.step()) {
  }
  const auto fields = layout.fields();
  RollOut roll(learner, fields, asked);
  CHECK(roll.step());
  CHECK(roll.trace().steps() == 0);
  CHECK(roll.certified() == 0);
}
