#include "mhla/turing_machine.h"

#include <doctest/doctest.h>

#include <set>

#include "core/error.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

// Steps until the last state is entered, and ones left: known of the busy beavers.
std::pair<Index, Index> halting(const char* text, Index width, Index head, Index limit) {
  const TuringMachine machine = parse_machine(text);
  const auto rows =
      run({machine, std::vector<Index>(static_cast<std::size_t>(width), 0), 0, head}, limit);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    Index ones = 0;
    bool halted = false;
    for (const Cell& cell : rows[t]) {
      ones += cell.symbol == 1;
      halted = halted || cell.state == machine.states - 1;
    }
    if (halted) return {static_cast<Index>(t), ones};
  }
  return {-1, -1};
}

}  // namespace

TEST_CASE("the busy beavers of two, three and four states do what is known of them") {
  CHECK(halting("1RB1LB_1LA1RH", 6, 3, 10) == std::pair<Index, Index>(6, 4));
  CHECK(halting("1RB1RH_1LB0RC_1LC1LA", 12, 6, 30) == std::pair<Index, Index>(21, 5));
  CHECK(halting("1RB1LB_1LA0LC_1RZ1LD_1RD0RA", 16, 11, 120) == std::pair<Index, Index>(107, 13));
}

TEST_CASE("a machine whose head leaves the tape changes nothing more") {
  const auto rows = run({parse_machine("1RA1RA"), {0, 0}, 0, 0}, 4);
  REQUIRE(rows.size() == 5);
  CHECK(rows[1] == TapeRow{{-1, 1}, {0, 0}});
  CHECK(rows[2] == TapeRow{{-1, 1}, {-1, 1}});
  CHECK(rows[4] == rows[2]);
}

TEST_CASE("rules are read and written back, and what is no rule is refused") {
  CHECK(machine_text(parse_machine("1RB1LB_1LA1RH")) == "1RB1LB_1LA1RC_0SC1SC");
  CHECK(machine_text(parse_machine("1RB---_1LA1SB")) == "1RB1SC_1LA1SB_0SC1SC");
  for (const char* text : {"", "1R", "1RB", "1RB1LB_1LA", "2RA1RA", "1XA1RA", "1Ra0RA", "aRA0RA",
                           "1RB1LB_1LA1RH_", "0RA_0RA_0RA_0RA_0RA_0RA_0RA_0RA_0RA"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_machine(text), Error);
  }
}

TEST_CASE("numbering reaches every input of a small class of tapes once") {
  const auto total = turing_input_count(1, 2, 2);
  CHECK(total == 6 * 6 * 4 * 1 * 2);
  CHECK(turing_input_count(2, 2, 2) == 20736 * 16);
  CHECK_THROWS_AS(turing_input_count(4, 4, 4), Error);
  std::set<std::string> seen;
  for (std::uint64_t number = 0; number < total; ++number) {
    const TuringInput input = turing_input(1, 2, 2, number);
    require_input(input);
    std::string key = machine_text(input.machine) + "/" + std::to_string(input.head);
    for (const Index symbol : input.tape)
      key += std::to_string(symbol);
    seen.insert(key);
  }
  CHECK(seen.size() == total);
}

TEST_CASE("inputs that the machine cannot start from are refused by name") {
  const auto parameter = [](const TuringInput& input) -> std::string {
    try {
      require_input(input);
    } catch (const Error& error) {
      return error.parameter();
    }
    return "none";
  };
  const TuringMachine machine = parse_machine("1RA1RA");
  CHECK(parameter({machine, {0, 2}, 0, 0}) == "tape");
  CHECK(parameter({machine, {}, 0, 0}) == "tape");
  CHECK(parameter({machine, {0}, 1, 0}) == "state");
  CHECK(parameter({machine, {0}, 0, 1}) == "head");
  CHECK(parameter({{1, 2, {}}, {0}, 0, 0}) == "machine");
}
