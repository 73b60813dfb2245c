// Averages over the length L of products of per-token factors.
#pragma once

#include "needle/model.h"

namespace attnlab::needle {

// sum_L P(L) c(L) x^(L - r), over the allowed L >= r, where r tokens are treated one by one and the
// others contribute a factor x each. c is one of the counts below.
enum class TokenCount {
  kOne,         // 1, r = 1: the other tokens of one given token
  kOther,       // L - 1, r = 2: a given token and one of the others
  kOtherPairs,  // (L - 1)(L - 2), r = 3: a given token and an ordered pair of others
  kEach,        // L, r = 1: any token
  kPairs        // L (L - 1), r = 2: any ordered pair
};

class LengthPolynomial {
 public:
  LengthPolynomial(const Lengths& lengths, TokenCount count);
  double operator()(double x) const;

 private:
  double coefficient(Index length) const;

  Lengths lengths_;
  TokenCount count_;
  Index taken_;  // r
};

}  // namespace attnlab::needle
