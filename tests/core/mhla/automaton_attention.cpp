#include "mhla/automaton_attention.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("the fixed automaton of four states runs as given, token by token") {
  const auto& fixed = tests::reference("mhla-dfa_T4");
  AutomatonInput input;
  input.automaton = {4, 4, {}};
  for (const auto& row : fixed["delta"])
    for (const auto& target : row)
      input.automaton.next.push_back(target.get<Index>());
  input.word = fixed["word"].get<std::vector<Index>>();
  input.start = fixed["q0"].get<Index>();

  const auto layout = automaton_layout(4, 4, 4);
  SparseAttention attention(universal_automaton_heads(layout));
  CHECK(layout.dimension() == fixed["d"].get<Index>());
  CHECK(attention.head_count() == fixed["heads"].get<Index>());
  const auto execution = execute(layout, attention, input);
  CHECK(execution.exact);
  CHECK(execution.history == fixed["history"].get<std::vector<Index>>());
  const auto& tokens = fixed["token_nonzero_rows"];
  REQUIRE(execution.trace.tokens.size() == tokens.size());
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto rows = tokens[t].get<std::vector<Index>>();
    REQUIRE(execution.trace.tokens[t].size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      CHECK(execution.trace.tokens[t][i] == RowValue{rows[i], 1});
  }
}

TEST_CASE("the sparse steps of an automaton are those of dense linear attention") {
  const auto layout = automaton_layout(4, 4, 4);
  SparseAttention attention(universal_automaton_heads(layout));
  const Heads heads = dense_heads(attention.heads());
  RandomStream stream(1, 1);
  const auto execution =
      execute(layout, attention, {random_automaton(4, 4, stream), random_word(4, 4, stream), 2});
  const Matrix prompt = dense_prompt(execution.trace.tokens, layout.dimension());
  for (Index n = execution.trace.prompt_length; n < prompt.rows(); ++n)
    CHECK(tests::largest_difference(apply(heads, prompt.topRows(n), OutputMode::kLast),
                                    prompt.row(n)) == 0);
}

TEST_CASE("300 of 300 random automata run exactly with one fixed set of weights") {
  RandomStream stream(1, 2);
  int exact = 0;
  for (int round = 0; round < 300; ++round) {
    // A new size every tenth time, shorter words than the layout allows among them.
    const Index length = 1 + round / 10 % 6, states = 1 + round / 10 % 5,
                letters = 1 + round / 10 % 4;
    const auto layout = automaton_layout(length, states, letters);
    SparseAttention attention(universal_automaton_heads(layout));
    CHECK(attention.head_count() == length * (states + 1));
    const AutomatonInput input{
        random_automaton(states, letters, stream),
        random_word(std::max<Index>(1, length - round % 2), letters, stream),
        static_cast<Index>(stream.below(static_cast<std::uint64_t>(states)))};
    const auto execution = execute(layout, attention, input);
    exact += execution.exact && execution.history == run(input.automaton, input.word, input.start);
  }
  CHECK(exact == 300);
}

TEST_CASE("500 of 500 automata compiled into the weights run at one step a letter") {
  RandomStream stream(1, 3);
  AutomatonLayout layout = automaton_layout(5, 3, 3);
  layout.compiled = true;
  int exact = 0;
  for (int round = 0; round < 500; ++round) {
    const AutomatonInput input{random_automaton(3, 3, stream), random_word(5, 3, stream),
                               static_cast<Index>(stream.below(3))};
    SparseAttention attention(compiled_automaton_heads(layout, input.automaton));
    CHECK(attention.head_count() == 15);
    const auto execution = execute(layout, attention, input);
    CHECK(execution.trace.steps() == 5);
    exact += execution.exact && execution.history == run(input.automaton, input.word, input.start);
  }
  CHECK(exact == 500);
}

TEST_CASE("inputs that do not fit the layout are refused") {
  const auto layout = automaton_layout(2, 2, 2);
  SparseAttention attention(universal_automaton_heads(layout));
  CHECK_THROWS_AS(execute(layout, attention, {{2, 2, {0, 1, 1, 0}}, {0, 1, 0}, 0}), Error);
  CHECK_THROWS_AS(execute(layout, attention, {{3, 2, {0, 1, 1, 0, 2, 2}}, {0}, 0}), Error);
  CHECK_THROWS_AS(automaton_layout(0, 2, 2), Error);
  SparseAttention other({3, {}});
  CHECK_THROWS_AS(execute(layout, other, {{2, 2, {0, 1, 1, 0}}, {0}, 0}), Error);
}
