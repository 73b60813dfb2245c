// The two-token sums of max-SLR at finite nu, which need the posterior's sum of exponentials and
// the kernel's at once. Inner part of max_moments.cpp.
#pragma once

#include "needle/length_polynomial.h"
#include "needle/normalised_moments.h"

namespace attnlab::needle {

// Scores and the times at which their sums are taken.
struct Side {
  const Vector& logs;
  const TimeRule& times;
};

// 1 - A and 1 - B, as far as they come from two tokens (moments_from_misses).
struct Misses {
  double miss = 0;
  double overlap = 0;
};

// Where the scores are spread by noise, decays are averages over it: dense.
// density: of a token's score, times the rule's weights; spread: row i averages over the student's
// scores given the teacher's i-th; pairs: TokenCount::kPairs.
Misses spread_misses(const Side& teacher, const Side& student, const Matrix& spread,
                     const Vector& density, const LengthPolynomial& pairs);

// Without noise both decays are steps of the same token's score: only tokens near both steps need
// sums, and only times whose steps are near each other count.
// Both sides' scores are in ascending order and belong to the same tokens.
Misses aligned_misses(const Side& teacher, const Side& student, const Vector& density,
                      const LengthPolynomial& pairs);

}  // namespace attnlab::needle
