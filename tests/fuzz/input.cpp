#include "input.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace attnlab::fuzz {
namespace {

using Limits = std::numeric_limits<double>;

constexpr double kSpecial[] = {
    0.0, -0.0, 1.0, -1.0, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
    // The ends of the range, of a float's too.
    Limits::denorm_min(), -Limits::denorm_min(), Limits::min(), Limits::max(), -Limits::max(),
    1e-38, 1e-45, 1e37, 1e38, -3.5e38, 1e45, -1e45,
    // Squares, cubes and exponentials leave the range near these.
    1e-154, 1e-162, 1e103, 1e154, -1.5e154, 1e160, 1e300, -1e307, 709.78, -745.13, 88.7, -103.9,
    // Whole numbers end here; rounding begins here.
    9007199254740992.0, 18446744073709551616.0, 1 + Limits::epsilon(), 1 - Limits::epsilon() / 2,
    1e-16, 1e4, -1e4, 1e9};

double plain_of(std::uint8_t byte) {
  return (static_cast<double>(byte) - 128) / 16;
}

}  // namespace

std::uint8_t Input::byte() {
  if (rest_.empty()) return 0;
  const std::uint8_t first = rest_.front();
  rest_ = rest_.subspan(1);
  return first;
}

std::uint64_t Input::word() {
  std::uint64_t result = 0;
  for (int i = 0; i < 8; ++i)
    result = result << 8U | byte();
  return result;
}

Index Input::count(Index minimum, Index maximum) {
  const auto span = static_cast<std::uint64_t>(maximum - minimum) + 1;
  std::uint64_t drawn = byte();
  if (span > 256) drawn = drawn << 8U | byte();
  return minimum + static_cast<Index>(drawn % span);
}

double Input::number() {
  const std::uint8_t kind = byte();
  if (kind < 160) return plain_of(byte());
  if (kind < 224) return kSpecial[byte() % std::size(kSpecial)];
  return std::bit_cast<double>(word());
}

double Input::plain() {
  return plain_of(byte());
}

double Input::between(double minimum, double maximum) {
  const std::uint8_t kind = byte();
  if (kind < 32) return minimum;
  if (kind < 64) return maximum;
  const double share = static_cast<double>(word() >> 11U) * 0x1p-53;
  return std::clamp(minimum + share * (maximum - minimum), minimum, maximum);
}

Matrix Input::matrix(Index rows, Index columns) {
  Matrix result(rows, columns);
  const std::uint8_t kind = byte() % 8;
  const double all = kind == 0 ? number() : 0;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      if (kind == 0)
        result(i, j) = all;
      else if (kind < 4)
        result(i, j) = plain();
      else if (kind < 6)
        result(i, j) = std::round(plain() / 2);
      else
        result(i, j) = number();
    }
  return result;
}

Matrix Input::plain_matrix(Index rows, Index columns) {
  Matrix result(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      result(i, j) = plain();
  return result;
}

Vector Input::vector(Index size) {
  return matrix(size, 1).col(0);
}

std::string Input::text(std::size_t most) {
  const auto bytes = take(std::min<std::size_t>(byte(), most));
  return {bytes.begin(), bytes.end()};
}

std::string Input::like(std::span<const std::string_view> samples) {
  std::string text(samples[byte() % samples.size()]);
  for (unsigned edits = byte() % 5; edits > 0; --edits) {
    const std::size_t place = text.empty() ? 0 : byte() % (text.size() + 1);
    const auto letter = static_cast<char>(byte());
    switch (byte() % 3) {
      case 0:
        text.insert(place, 1, letter);
        break;
      case 1:
        if (place < text.size()) text.erase(place, 1);
        break;
      default:
        if (place < text.size()) text[place] = letter;
    }
  }
  return text;
}

std::span<const std::uint8_t> Input::take(std::size_t size) {
  const auto taken = rest_.first(std::min(size, rest_.size()));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

}  // namespace attnlab::fuzz
