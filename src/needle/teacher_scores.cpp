#include "needle/teacher_scores.h"

#include <cmath>
#include <limits>
#include <span>

#include "core/portable.h"

namespace attnlab::needle {

Index draw_length(const Lengths& lengths, RandomStream& random) {
  if (lengths.fixed()) return lengths.minimum;
  return lengths.minimum +
         static_cast<Index>(random.below(static_cast<std::uint64_t>(lengths.count())));
}

Index pick_needle(double snr, const double* scores, Index length, RandomStream& random) {
  Index best = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (Index l = 0; l < length; ++l) {
    const double value = std::isinf(snr)
                             ? scores[l]
                             : snr * scores[l] - portable::log(-portable::log(random.uniform()));
    if (value > largest) {
      largest = value;
      best = l;
    }
  }
  return best;
}

ScoredPrompt draw_teacher_scores(const Problem& problem, RandomStream& random, double* scores) {
  ScoredPrompt prompt;
  prompt.length = draw_length(problem.lengths, random);
  random.fill_gaussian({scores, static_cast<std::size_t>(prompt.length)});
  if (problem.model == Model::kSpiked) {
    prompt.needle = static_cast<Index>(random.below(static_cast<std::uint64_t>(prompt.length)));
    scores[prompt.needle] += std::sqrt(problem.snr);
  } else {
    prompt.needle = pick_needle(problem.snr, scores, prompt.length, random);
  }
  return prompt;
}

}  // namespace attnlab::needle
