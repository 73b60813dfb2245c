#include "mhla/automaton.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "core/error.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("a two-state automaton counts the parity of its ones") {
  const Automaton parity{2, 2, {0, 1, 1, 0}};
  const std::vector<Index> word{1, 0, 1, 1};
  CHECK(run(parity, word, 0) == std::vector<Index>{0, 1, 1, 0, 1});
  CHECK(run(parity, word, 1) == std::vector<Index>{1, 0, 0, 1, 0});
}

TEST_CASE("numbering reaches every input of a small class of automata once") {
  CHECK(automaton_input_count(2, 2, 2) == 128);
  CHECK(automaton_input_count(4, 4, 4) == (std::uint64_t{1} << 42));
  CHECK_THROWS_AS(automaton_input_count(6, 6, 6), Error);
  std::set<std::vector<Index>> seen;
  for (std::uint64_t number = 0; number < 128; ++number) {
    const AutomatonInput input = automaton_input(2, 2, 2, number);
    require_automaton(input.automaton);
    std::vector<Index> key = input.automaton.next;
    key.insert(key.end(), input.word.begin(), input.word.end());
    key.push_back(input.start);
    seen.insert(key);
  }
  CHECK(seen.size() == 128);
}

TEST_CASE("distinct numbers are distinct, and each place is as likely as any other") {
  RandomStream stream(1, 1);
  auto all = distinct_numbers(50, 50, stream);
  std::sort(all.begin(), all.end());
  for (std::uint64_t i = 0; i < 50; ++i)
    CHECK(all[static_cast<std::size_t>(i)] == i);
  int hits[5] = {};
  for (int round = 0; round < 5000; ++round)
    ++hits[distinct_numbers(5, 2, stream)[1]];
  // 1000 expected, standard deviation 28.
  for (const int hit : hits)
    CHECK(std::abs(hit - 1000) < 140);
  CHECK_THROWS_AS(distinct_numbers(3, 4, stream), Error);
}

TEST_CASE("an automaton with a target that it has not is refused") {
  CHECK_THROWS_AS(require_automaton({2, 1, {0, 2}}), Error);
  CHECK_THROWS_AS(require_automaton({2, 1, {0}}), Error);
  CHECK_THROWS_AS(run({1, 1, {0}}, std::vector<Index>{1}, 0), Error);
  CHECK_THROWS_AS(run({1, 1, {0}}, std::vector<Index>{0}, 1), Error);
}
