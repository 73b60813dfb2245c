#include "mhla/modular_span.h"

#include <cmath>
#include <utility>

namespace attnlab::mhla {
namespace {

constexpr std::uint64_t kPrime = 2147483647;  // 2^31 - 1

std::uint64_t residue(double whole) {
  const double rest = std::fmod(whole, static_cast<double>(kPrime));
  return static_cast<std::uint64_t>(rest < 0 ? rest + static_cast<double>(kPrime) : rest);
}

// x mod 2^31 - 1 for x < 2^62 by folding, which costs no division.
std::uint64_t fold(std::uint64_t x) {
  x = (x & kPrime) + (x >> 31);
  x = (x & kPrime) + (x >> 31);
  return x >= kPrime ? x - kPrime : x;
}

std::uint64_t inverse(std::uint64_t x) {
  std::uint64_t result = 1;
  for (std::uint64_t exponent = kPrime - 2; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = fold(result * x);
    x = fold(x * x);
  }
  return result;
}

}  // namespace

// Solves (L D) row = kernel in place; returns what is left of the diagonal.
std::uint64_t ModularSpan::reduce(std::vector<std::uint64_t>& row, double self) const {
  // First y = D l, where y_r = k_r - sum_{c < r} L_rc y_c.
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < r; ++c) {
      const std::uint64_t product = rows_[r][c] * row[c];
      sum += (product & kPrime) + (product >> 31);  // below 2^32: no overflow for 2^32 terms
    }
    row[r] = fold(row[r] + kPrime - fold(sum));
  }
  std::uint64_t rest = residue(self);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::uint64_t y = row[r];
    row[r] = fold(y * inverses_[r]);
    rest = fold(rest + (kPrime - y) * row[r]);
  }
  return rest;
}

bool ModularSpan::independent(const std::vector<double>& kernel, double self) const {
  std::vector<std::uint64_t> row;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    row.push_back(residue(kernel[r]));
  return reduce(row, self) != 0;
}

bool ModularSpan::add(const std::vector<double>& kernel, double self) {
  std::vector<std::uint64_t> row;
  for (std::size_t r = 0; r < rows_.size(); ++r)
    row.push_back(residue(kernel[r]));
  const std::uint64_t rest = reduce(row, self);
  if (rest == 0) return false;
  rows_.push_back(std::move(row));
  inverses_.push_back(inverse(rest));
  return true;
}

}  // namespace attnlab::mhla
