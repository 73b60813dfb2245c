#include "mhla/turing_machine.h"

#include <array>
#include <string>

#include "core/require.h"

namespace attnlab::mhla {
namespace {

constexpr double kLargestCount = 9007199254740992.0;  // 2^53
constexpr Index kMostStates = 8;
constexpr Index kMostSymbols = 6;
constexpr std::array<Move, 3> kMoves{Move::kRight, Move::kStay, Move::kLeft};

Index take_digit(std::uint64_t& number, Index base) {
  const auto digit = static_cast<Index>(number % static_cast<std::uint64_t>(base));
  number /= static_cast<std::uint64_t>(base);
  return digit;
}

[[noreturn]] void malformed(const std::string& text) {
  fail(ErrorCode::kMalformed, "machine",
       text + "; rules read like 1RB1LB_1LA1RH: symbol written, move L, R or S, next state");
}

}  // namespace

void require_machine(const TuringMachine& machine) {
  if (machine.states < 1 || machine.symbols < 1)
    fail(ErrorCode::kOutOfRange, "machine", "needs at least one state and one symbol");
  if (static_cast<Index>(machine.rules.size()) != machine.states * machine.symbols)
    fail(ErrorCode::kShape, "machine",
         "has " + std::to_string(machine.rules.size()) + " rules; " +
             std::to_string(machine.states * machine.symbols) + " are expected");
  for (const TuringRule& rule : machine.rules)
    if (rule.state < 0 || rule.state >= machine.states || rule.symbol < 0 ||
        rule.symbol >= machine.symbols)
      fail(ErrorCode::kOutOfRange, "machine", "has a rule to a state or symbol that it has not");
}

TuringMachine random_machine(Index states, Index symbols, RandomStream& stream) {
  TuringMachine machine{states, symbols, {}};
  const auto draw = [&](Index bound) {
    return static_cast<Index>(stream.below(static_cast<std::uint64_t>(bound)));
  };
  for (Index i = 0; i < states * symbols; ++i) {
    const Index state = draw(states);
    const Index symbol = draw(symbols);
    machine.rules.push_back({state, symbol, kMoves[static_cast<std::size_t>(draw(3))]});
  }
  require_machine(machine);
  return machine;
}

TuringMachine parse_machine(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('_', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  const auto described = static_cast<Index>(parts.size());
  if (parts.front().size() < 3 || parts.front().size() % 3 != 0)
    malformed("the first state has " + std::to_string(parts.front().size()) +
              " characters, and a rule has three");
  const auto symbols = static_cast<Index>(parts.front().size() / 3);
  if (described > kMostStates || symbols > kMostSymbols)
    malformed("at most " + std::to_string(kMostStates) + " states and " +
              std::to_string(kMostSymbols) + " symbols are allowed");
  TuringMachine machine{described, symbols, {}};
  bool halts = false;
  for (const std::string_view part : parts) {
    if (static_cast<Index>(part.size()) != 3 * symbols)
      malformed("\"" + std::string(part) + "\" has other symbols than the first state");
    for (Index a = 0; a < symbols; ++a) {
      const std::string_view rule = part.substr(static_cast<std::size_t>(3 * a), 3);
      const bool blank = rule == "---";
      const Index symbol = blank ? a : rule[0] - '0';
      const Index letter = blank ? described : rule[2] - 'A';
      const bool halt = blank || ((rule[2] == 'H' || rule[2] == 'Z') && letter >= described);
      if (symbol < 0 || symbol >= symbols)
        malformed("\"" + std::string(rule) + "\" writes a symbol that the machine has not");
      if (!halt && (letter < 0 || letter >= described))
        malformed("\"" + std::string(rule) + "\" goes to a state that is not described");
      if (!blank && rule[1] != 'L' && rule[1] != 'R' && rule[1] != 'S')
        malformed("\"" + std::string(rule) + "\" has no move");
      const Move move = blank || rule[1] == 'S' ? Move::kStay
                        : rule[1] == 'L'        ? Move::kLeft
                                                : Move::kRight;
      machine.rules.push_back({halt ? described : letter, symbol, move});
      halts = halts || halt;
    }
  }
  if (halts) {
    for (Index a = 0; a < symbols; ++a)
      machine.rules.push_back({described, a, Move::kStay});
    ++machine.states;
  }
  require_machine(machine);
  return machine;
}

std::string machine_text(const TuringMachine& machine) {
  require_machine(machine);
  std::string text;
  for (Index q = 0; q < machine.states; ++q) {
    if (q > 0) text += '_';
    for (Index a = 0; a < machine.symbols; ++a) {
      const TuringRule& rule = machine.rule(q, a);
      text += static_cast<char>('0' + rule.symbol);
      text += rule.move == Move::kLeft ? 'L' : rule.move == Move::kRight ? 'R' : 'S';
      text += static_cast<char>('A' + rule.state);
    }
  }
  return text;
}

void require_input(const TuringInput& input) {
  require_machine(input.machine);
  if (input.tape.empty()) fail(ErrorCode::kMissing, "tape", "is empty");
  for (const Index symbol : input.tape)
    if (symbol < 0 || symbol >= input.machine.symbols)
      fail(ErrorCode::kOutOfRange, "tape",
           "has symbol " + std::to_string(symbol) + "; the machine has 0 to " +
               std::to_string(input.machine.symbols - 1));
  require_range(static_cast<double>(input.state), 0, static_cast<double>(input.machine.states - 1),
                "state");
  require_range(static_cast<double>(input.head), 0, static_cast<double>(input.tape.size()) - 1,
                "head");
}

std::vector<TapeRow> run(const TuringInput& input, Index steps) {
  require_input(input);
  std::vector<Index> tape = input.tape;
  const auto width = static_cast<Index>(tape.size());
  Index state = input.state;
  Index head = input.head;
  std::vector<TapeRow> rows;
  for (Index t = 0; t <= steps; ++t) {
    TapeRow row;
    for (Index i = 0; i < width; ++i)
      row.push_back({i == head ? state : -1, tape[static_cast<std::size_t>(i)]});
    rows.push_back(std::move(row));
    if (head < 0 || head >= width) continue;
    Index& symbol = tape[static_cast<std::size_t>(head)];
    const TuringRule& rule = input.machine.rule(state, symbol);
    symbol = rule.symbol;
    state = rule.state;
    head += static_cast<Index>(rule.move);
  }
  return rows;
}

std::uint64_t turing_input_count(Index states, Index symbols, Index width) {
  double count = static_cast<double>(states * width);
  for (Index i = 0; i < states * symbols && count <= kLargestCount; ++i)
    count *= static_cast<double>(3 * states * symbols);
  for (Index i = 0; i < width && count <= kLargestCount; ++i)
    count *= static_cast<double>(symbols);
  if (count > kLargestCount)
    fail(ErrorCode::kTooLarge, "states",
         "machines with tapes of this width are more than 2^53; fewer states, symbols or cells "
         "are needed");
  return static_cast<std::uint64_t>(count);
}

TuringInput turing_input(Index states, Index symbols, Index width, std::uint64_t number) {
  TuringInput input;
  input.machine.states = states;
  input.machine.symbols = symbols;
  for (Index i = 0; i < states * symbols; ++i) {
    const Index state = take_digit(number, states);
    const Index symbol = take_digit(number, symbols);
    input.machine.rules.push_back(
        {state, symbol, kMoves[static_cast<std::size_t>(take_digit(number, 3))]});
  }
  for (Index i = 0; i < width; ++i)
    input.tape.push_back(take_digit(number, symbols));
  input.state = take_digit(number, states);
  input.head = take_digit(number, width);
  return input;
}

}  // namespace attnlab::mhla
