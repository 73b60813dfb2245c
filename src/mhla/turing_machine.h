// Turing machines with one tape, run on a bounded stretch of it (arXiv 2410.10101, Section 3.1).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/types.h"

namespace attnlab::mhla {

enum class Move : int { kLeft = -1, kStay = 0, kRight = 1 };

struct TuringRule {
  Index state;   // next state
  Index symbol;  // written
  Move move;
};

struct TuringMachine {
  Index states = 0;
  Index symbols = 0;
  std::vector<TuringRule> rules;  // rules[state * symbols + symbol]

  const TuringRule& rule(Index state, Index symbol) const {
    return rules[static_cast<std::size_t>(state * symbols + symbol)];
  }
};

// Throws kShape or kOutOfRange ("machine").
void require_machine(const TuringMachine& machine);

// Every rule uniform and independent; the three moves equally likely.
TuringMachine random_machine(Index states, Index symbols, RandomStream& stream);

// Rules in the usual short form: states separated by "_", for each symbol the symbol written, the
// move L, R or S and the next state A, B, ...; "1RB1LB_1LA1RH" is the busy beaver of two states.
// H or Z, unless it is one of the states described, halts: a last state that writes what it reads
// and stays. "---" halts as well. At most 8 states and 6 symbols. Throws kMalformed ("machine").
TuringMachine parse_machine(std::string_view text);
std::string machine_text(const TuringMachine& machine);

// What a cell holds: a symbol, and the state if the head is here, else -1.
struct Cell {
  Index state = -1;
  Index symbol = 0;
  bool operator==(const Cell&) const = default;
};
using TapeRow = std::vector<Cell>;

struct TuringInput {
  TuringMachine machine;
  std::vector<Index> tape;
  Index state = 0;
  Index head = 0;
};
// Checks the machine, the symbols of the tape, state and head; throws kOutOfRange ("tape", ...).
void require_input(const TuringInput& input);

// The cells before step 1, 2, ..., `steps` and after the last one: steps + 1 rows. A head that
// leaves the tape is gone, and nothing changes after that.
std::vector<TapeRow> run(const TuringInput& input, Index steps);

// The number of inputs on `width` cells; throws kTooLarge ("states") above 2^53.
std::uint64_t turing_input_count(Index states, Index symbols, Index width);
// The inputs in a fixed order, number < turing_input_count.
TuringInput turing_input(Index states, Index symbols, Index width, std::uint64_t number);

}  // namespace attnlab::mhla
