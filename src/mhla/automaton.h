// Deterministic finite automata (arXiv 2410.10101, Section 3.1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "core/types.h"

namespace attnlab::mhla {

struct Automaton {
  Index states = 0;
  Index letters = 0;
  std::vector<Index> next;  // next[state * letters + letter]

  Index after(Index state, Index letter) const {
    return next[static_cast<std::size_t>(state * letters + letter)];
  }
};

// Sizes at least 1 and targets within the states; throws kShape or kOutOfRange ("automaton").
void require_automaton(const Automaton& automaton);

// Every target uniform and independent.
Automaton random_automaton(Index states, Index letters, RandomStream& stream);
std::vector<Index> random_word(Index length, Index letters, RandomStream& stream);

// The states passed, from `start` on: one more than letters.
std::vector<Index> run(const Automaton& automaton, std::span<const Index> word, Index start);

// An automaton with a word to read and a state to begin in.
struct AutomatonInput {
  Automaton automaton;
  std::vector<Index> word;
  Index start = 0;
};
// states^(states * letters) * letters^length * states; throws kTooLarge ("states") above 2^53.
std::uint64_t automaton_input_count(Index states, Index letters, Index length);
// The inputs in a fixed order, number < automaton_input_count.
AutomatonInput automaton_input(Index states, Index letters, Index length, std::uint64_t number);

// `count` different numbers below `total`, uniform, in random order. count <= total.
std::vector<std::uint64_t> distinct_numbers(std::uint64_t total, std::size_t count,
                                            RandomStream& stream);

}  // namespace attnlab::mhla
