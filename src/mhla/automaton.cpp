#include "mhla/automaton.h"

#include <string>
#include <unordered_map>

#include "core/require.h"

namespace attnlab::mhla {
namespace {

constexpr double kLargestCount = 9007199254740992.0;  // 2^53

// The lowest digit of number in this base, which is taken off it.
Index take_digit(std::uint64_t& number, Index base) {
  const auto digit = static_cast<Index>(number % static_cast<std::uint64_t>(base));
  number /= static_cast<std::uint64_t>(base);
  return digit;
}

}  // namespace

void require_automaton(const Automaton& automaton) {
  if (automaton.states < 1 || automaton.letters < 1)
    fail(ErrorCode::kOutOfRange, "automaton", "needs at least one state and one letter");
  if (static_cast<Index>(automaton.next.size()) != automaton.states * automaton.letters)
    fail(ErrorCode::kShape, "automaton",
         "has " + std::to_string(automaton.next.size()) + " transitions; " +
             std::to_string(automaton.states * automaton.letters) + " are expected");
  for (const Index state : automaton.next)
    if (state < 0 || state >= automaton.states)
      fail(ErrorCode::kOutOfRange, "automaton",
           "has a transition to state " + std::to_string(state) + "; states are 0 to " +
               std::to_string(automaton.states - 1));
}

Automaton random_automaton(Index states, Index letters, RandomStream& stream) {
  Automaton automaton{states, letters, {}};
  for (Index i = 0; i < states * letters; ++i)
    automaton.next.push_back(static_cast<Index>(stream.below(static_cast<std::uint64_t>(states))));
  require_automaton(automaton);
  return automaton;
}

std::vector<Index> random_word(Index length, Index letters, RandomStream& stream) {
  std::vector<Index> word;
  for (Index t = 0; t < length; ++t)
    word.push_back(static_cast<Index>(stream.below(static_cast<std::uint64_t>(letters))));
  return word;
}

std::vector<Index> run(const Automaton& automaton, std::span<const Index> word, Index start) {
  require_automaton(automaton);
  if (start < 0 || start >= automaton.states)
    fail(ErrorCode::kOutOfRange, "start", "is no state of the automaton");
  std::vector<Index> history{start};
  for (const Index letter : word) {
    if (letter < 0 || letter >= automaton.letters)
      fail(ErrorCode::kOutOfRange, "word",
           "has letter " + std::to_string(letter) + "; letters are 0 to " +
               std::to_string(automaton.letters - 1));
    history.push_back(automaton.after(history.back(), letter));
  }
  return history;
}

std::uint64_t automaton_input_count(Index states, Index letters, Index length) {
  double count = static_cast<double>(states);
  for (Index i = 0; i < states * letters && count <= kLargestCount; ++i)
    count *= static_cast<double>(states);
  for (Index t = 0; t < length && count <= kLargestCount; ++t)
    count *= static_cast<double>(letters);
  if (count > kLargestCount)
    fail(ErrorCode::kTooLarge, "states",
         "automata with words of this length are more than 2^53; fewer states, letters or a "
         "shorter word are needed");
  return static_cast<std::uint64_t>(count);
}

AutomatonInput automaton_input(Index states, Index letters, Index length, std::uint64_t number) {
  AutomatonInput input;
  input.automaton.states = states;
  input.automaton.letters = letters;
  for (Index i = 0; i < states * letters; ++i)
    input.automaton.next.push_back(take_digit(number, states));
  for (Index t = 0; t < length; ++t)
    input.word.push_back(take_digit(number, letters));
  input.start = take_digit(number, states);
  return input;
}

std::vector<std::uint64_t> distinct_numbers(std::uint64_t total, std::size_t count,
                                            RandomStream& stream) {
  if (count > total)
    fail(ErrorCode::kOutOfRange, "count", "different numbers are more than there are");
  // Fisher and Yates's shuffle of 0 ... total - 1, of which only what has moved is kept.
  std::unordered_map<std::uint64_t, std::uint64_t> moved;
  const auto at = [&](std::uint64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::vector<std::uint64_t> drawn;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t other = i + stream.below(total - i);
    drawn.push_back(at(other));
    moved[other] = at(i);
  }
  return drawn;
}

}  // namespace attnlab::mhla
