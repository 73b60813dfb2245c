#include "mhla/modular_rank.h"

#include <cmath>
#include <utility>

namespace attnlab::mhla {
namespace {

constexpr std::uint64_t kPrime = 2147483647;  // 2^31 - 1

std::uint64_t power(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = result * base % kPrime;
    base = base * base % kPrime;
  }
  return result;
}

std::uint64_t residue(double whole) {
  const double prime = static_cast<double>(kPrime);
  const double rest = std::fmod(whole, prime);
  return static_cast<std::uint64_t>(rest < 0 ? rest + prime : rest);
}

}  // namespace

bool ModularRank::add(std::vector<std::uint64_t> row) {
  const auto columns = static_cast<std::size_t>(columns_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const auto lead = static_cast<std::size_t>(leading_[r]);
    const std::uint64_t factor = row[lead];
    if (factor == 0) continue;
    const std::uint64_t minus = kPrime - factor;
    for (std::size_t c = lead; c < columns; ++c)
      row[c] = (row[c] + minus * rows_[r][c]) % kPrime;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    if (row[c] == 0) continue;
    const std::uint64_t inverse = power(row[c], kPrime - 2);
    for (std::size_t k = c; k < columns; ++k)
      row[k] = row[k] * inverse % kPrime;
    // Earlier rows may lead further right: keep the rows in the order of their leads, since
    // elimination of one lead must not bring back another.
    std::size_t place = 0;
    while (place < rows_.size() && leading_[place] < static_cast<Index>(c))
      ++place;
    rows_.insert(rows_.begin() + static_cast<std::ptrdiff_t>(place), std::move(row));
    leading_.insert(leading_.begin() + static_cast<std::ptrdiff_t>(place), static_cast<Index>(c));
    return true;
  }
  return false;
}

bool whole_numbers(const Samples& samples) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto whole = [](double x) { return x == std::floor(x) && std::fabs(x) <= kExact; };
  for (Index i = 0; i < samples.count(); ++i) {
    for (Index p = 0; p < samples.grams.cols(); ++p)
      if (!whole(samples.grams(i, p))) return false;
    for (Index l = 0; l < samples.queries.cols(); ++l)
      if (!whole(samples.queries(i, l))) return false;
  }
  return true;
}

std::vector<std::uint64_t> modular_features(const Samples& samples, Index i) {
  std::vector<std::uint64_t> row;
  row.reserve(static_cast<std::size_t>(feature_count(samples.dimension())));
  for (Index p = 0; p < samples.grams.cols(); ++p) {
    const std::uint64_t g = residue(samples.grams(i, p));
    for (Index l = 0; l < samples.queries.cols(); ++l)
      row.push_back(g * residue(samples.queries(i, l)) % kPrime);
  }
  return row;
}

}  // namespace attnlab::mhla
