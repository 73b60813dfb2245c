#include "mhla/turing_attention.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "mhla/automaton.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

TuringInput random_input(Index states, Index symbols, Index width, RandomStream& stream) {
  const auto below = [&](Index bound) {
    return static_cast<Index>(stream.below(static_cast<std::uint64_t>(bound)));
  };
  TuringInput input;
  input.machine = random_machine(states, symbols, stream);
  input.tape = random_word(width, symbols, stream);
  input.state = below(states);
  input.head = below(width);
  return input;
}

}  // namespace

TEST_CASE("the busy beaver of two states runs as given, token by token") {
  const auto& fixed = tests::reference("mhla-utm_bb2");
  TuringInput input;
  input.machine = {3, 2, {}};
  for (const auto& rule : fixed["delta"]) {
    const auto move = rule[4].get<std::string>();
    input.machine.rules.push_back({rule[2].get<Index>(), rule[3].get<Index>(),
                                   move == "L"   ? Move::kLeft
                                   : move == "R" ? Move::kRight
                                                 : Move::kStay});
  }
  input.tape = fixed["tape"].get<std::vector<Index>>();
  input.state = fixed["q0"].get<Index>();
  input.head = fixed["h0"].get<Index>();

  const auto layout = turing_layout(6, fixed["Phi"].get<Index>(), 3, 2);
  SparseAttention attention(turing_heads(layout));
  CHECK(layout.dimension() == fixed["d"].get<Index>());
  CHECK(attention.head_count() == fixed["heads"].get<Index>());
  TuringExecution execution(layout, attention, input);
  while (!execution.step()) {
  }
  CHECK(execution.exact());
  const auto& history = fixed["history"];
  REQUIRE(execution.rows().size() == history.size());
  for (std::size_t t = 0; t < history.size(); ++t)
    for (std::size_t i = 0; i < 6; ++i)
      CHECK(execution.rows()[t][i] ==
            Cell{history[t][i][0].get<Index>(), history[t][i][1].get<Index>()});
  const auto& tokens = fixed["token_nonzero_rows"];
  const Trace trace = execution.trace();
  REQUIRE(trace.tokens.size() == fixed["tokens"].get<std::size_t>());
  REQUIRE(trace.tokens.size() == tokens.size());
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const auto rows = tokens[t].get<std::vector<Index>>();
    REQUIRE(trace.tokens[t].size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      CHECK(trace.tokens[t][i] == RowValue{rows[i], 1});
  }
}

TEST_CASE("60 of 60 random machines run exactly with one fixed set of weights") {
  const auto layout = turing_layout(5, 5, 3, 2);
  SparseAttention attention(turing_heads(layout));
  CHECK(layout.dimension() == 749);
  CHECK(attention.head_count() == 138);
  RandomStream stream(2, 1);
  int exact = 0;
  for (int round = 0; round < 60; ++round) {
    const TuringInput input = random_input(3, 2, 5, stream);
    TuringExecution execution(layout, attention, input);
    while (!execution.step()) {
    }
    exact += execution.exact() && execution.rows() == run(input, 5);
  }
  CHECK(exact == 60);
}

TEST_CASE("machines of other sizes run exactly too, heads that leave the tape included") {
  RandomStream stream(2, 2);
  for (int round = 0; round < 40; ++round) {
    const Index width = 1 + round % 4, steps = 1 + round % 5, states = 1 + round % 3;
    const Index symbols = 1 + round % 4;
    const auto layout = turing_layout(width, steps, states, symbols);
    SparseAttention attention(turing_heads(layout));
    CHECK(attention.head_count() == 6 * width * steps - 4 * steps + states + 5);
    const TuringInput input = random_input(states, symbols, width, stream);
    TuringExecution execution(layout, attention, input);
    while (!execution.step()) {
    }
    CHECK(execution.exact());
    CHECK(execution.rows() == run(input, steps));
  }
}

TEST_CASE("the sparse steps of a machine are those of dense linear attention") {
  const auto layout = turing_layout(2, 2, 2, 2);
  CHECK(layout.dimension() == 124);
  SparseAttention attention(turing_heads(layout));
  const Heads heads = dense_heads(attention.heads());
  RandomStream stream(2, 3);
  TuringExecution execution(layout, attention, random_input(2, 2, 2, stream));
  while (!execution.step()) {
  }
  const Trace trace = execution.trace();
  CHECK(trace.steps() == 12);
  const Matrix prompt = dense_prompt(trace.tokens, 124);
  for (Index n = trace.prompt_length; n < prompt.rows(); ++n)
    CHECK(tests::largest_difference(apply(heads, prompt.topRows(n), OutputMode::kLast),
                                    prompt.row(n)) == 0);
  CHECK(decode_rows(layout, trace) == execution.rows());
}

TEST_CASE("the busy beaver of four states halts after 107 steps of 65,707 coordinates") {
  const auto layout = turing_layout(16, 107, 5, 2);
  CHECK(layout.dimension() == 65707);
  SparseAttention attention(turing_heads(layout));
  const TuringInput input{parse_machine("1RB1LB_1LA0LC_1RH1LD_1RD0RA"), std::vector<Index>(16, 0),
                          0, 11};
  TuringExecution execution(layout, attention, input);
  while (!execution.step()) {
  }
  CHECK(execution.exact());
  CHECK(execution.rows() == run(input, 107));
}

TEST_CASE("tapes and machines that do not fit the layout are refused") {
  const auto layout = turing_layout(2, 2, 2, 2);
  CHECK_THROWS_AS(turing_prompt(layout, {parse_machine("1RB1LB_1LA1RA"), {0, 0, 0}, 0, 0}), Error);
  CHECK_THROWS_AS(turing_prompt(layout, {parse_machine("1RA1LA"), {0, 0}, 0, 0}), Error);
  CHECK_THROWS_AS(turing_layout(64, 1024, 16, 8), Error);
  CHECK_THROWS_AS(turing_layout(0, 1, 1, 1), Error);
  CHECK_FALSE(decode_cell(layout, one_hot_token({layout.cell_position(1)}), 1).has_value());
  CHECK_FALSE(decode_cell(layout, one_hot_token({0, layout.cell_symbol(0)}), 1).has_value());
}
