// Numbers, shapes and texts out of a fuzzer's bytes. Reading past the end gives zeros, so every
// sequence of bytes is an input, and a longer one goes on where a shorter one ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/types.h"

namespace attnlab::fuzz {

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  bool ended() const { return rest_.empty(); }
  std::uint8_t byte();
  std::uint64_t word();  // eight bytes
  bool flag() { return (byte() & 1U) != 0; }
  // Whole number in [minimum, maximum], maximum - minimum < 2^16.
  Index count(Index minimum, Index maximum);
  // A plain number (a sixteenth of a small whole one), a special one (NaN, the infinities, -0,
  // subnormals, the largest, where exponentials and squares leave the range), or any bits at all.
  double number();
  // The same, but finite and of moderate size: what a formula is made for.
  double plain();
  // In [minimum, maximum]; the ends come up often.
  double between(double minimum, double maximum);
  // All entries of one kind: plain numbers, small whole numbers, equal entries, or numbers.
  Matrix matrix(Index rows, Index columns);
  Matrix plain_matrix(Index rows, Index columns);
  Vector vector(Index size);
  // At most `most` bytes, any of them.
  std::string text(std::size_t most);
  // One of `samples` with up to four bytes changed, put in or taken out.
  std::string like(std::span<const std::string_view> samples);
  std::span<const std::uint8_t> take(std::size_t size);

  template <class Choice, std::size_t size>
  Choice one_of(const Choice (&choices)[size]) {
    return choices[byte() % size];
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace attnlab::fuzz
