#include "needle/length_polynomial.h"

#include <algorithm>

namespace attnlab::needle {

LengthPolynomial::LengthPolynomial(const Lengths& lengths, TokenCount count)
    : lengths_(lengths), count_(count), taken_(1) {
  if (count == TokenCount::kOther || count == TokenCount::kPairs) taken_ = 2;
  if (count == TokenCount::kOtherPairs) taken_ = 3;
}

double LengthPolynomial::coefficient(Index length) const {
  const auto n = static_cast<double>(length);
  switch (count_) {
    case TokenCount::kOne:
      return 1;
    case TokenCount::kOther:
      return n - 1;
    case TokenCount::kOtherPairs:
      return (n - 1) * (n - 2);
    case TokenCount::kEach:
      return n;
    case TokenCount::kPairs:
      return n * (n - 1);
  }
  return 0;
}

double LengthPolynomial::operator()(double x) const {
  if (lengths_.maximum < taken_) return 0;
  // Horner from the longest prompt down to the shortest one, then the power that is left.
  const Index shortest = std::max(lengths_.minimum, taken_);
  double sum = 0;
  for (Index length = lengths_.maximum; length >= shortest; --length)
    sum = sum * x + coefficient(length);
  double factor = 1;
  double base = x;
  for (Index power = shortest - taken_; power > 0; power /= 2) {
    if (power % 2 == 1) factor *= base;
    base *= base;
  }
  return lengths_.probability() * sum * factor;
}

}  // namespace attnlab::needle
