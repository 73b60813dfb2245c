// Prompts of single-location regression, exactly from the law in needle/model.h, at any D.
#pragma once

#include <vector>

#include "core/random.h"
#include "core/types.h"
#include "needle/model.h"

namespace attnlab::needle {

// The hidden key and value: Gaussian directions, made orthogonal and given the norm sqrt(D) each,
// so that the overlaps of the theory hold exactly at finite D. D >= 2.
struct Teacher {
  Vector key;    // k*
  Vector value;  // v*
};
Teacher draw_teacher(Index dimension, RandomStream& random);

struct Sample {
  Index length = 0;  // L of this prompt
  Index needle = 0;  // its position, 0-based
  double label = 0;  // y
};

// One prompt into tokens: room for lengths.maximum x D numbers, the first length x D of which are
// written, row-major. scores_scratch: room for lengths.maximum numbers. No checks: `validate` the
// problem first. Draws from `random` only.
Sample draw_sample(const Problem& problem, const Teacher& teacher, RandomStream& random,
                   double* tokens, double* scores_scratch);

// A data set of one length: N prompts, N * L rows of D.
struct DataSet {
  Index samples = 0, length = 0, dimension = 0;
  Index drawn = 0;  // prompts that are there so far
  Matrix tokens;    // (N L) x D
  Vector labels;    // N
  std::vector<Index> needles;

  bool whole() const { return drawn == samples; }
  const double* rows(Index sample) const { return tokens.data() + sample * length * dimension; }
};

// N = round(alpha D) prompts, none drawn. Throws kOutOfRange ("ratio", "dimension"), kDomain
// ("length") when the length is not fixed, kTooLarge ("dimension") when the tokens would need more
// than 512 MiB; nothing is allocated.
DataSet plan_data_set(const Problem& problem, double ratio, Index dimension);

// Draws what takes a few milliseconds; true once the data set is whole. `problem` as planned.
bool draw_more(DataSet& data, const Problem& problem, const Teacher& teacher, RandomStream& random);

}  // namespace attnlab::needle
