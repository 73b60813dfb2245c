// The teacher's scores chi* = X k*/sqrt(D) of a prompt, without its tokens: all that the theory's
// averages need.
#pragma once

#include "core/random.h"
#include "needle/model.h"

namespace attnlab::needle {

struct ScoredPrompt {
  Index length = 0;
  Index needle = 0;
};

// Writes chi* (room for lengths.maximum numbers) and draws the needle, exactly from the law in
// needle/model.h. No checks.
ScoredPrompt draw_teacher_scores(const Problem& problem, RandomStream& random, double* scores);

// The length of a prompt.
Index draw_length(const Lengths& lengths, RandomStream& random);

// The position that softmax(nu scores) picks (Gumbel trick); nu = Infinity: the largest score.
Index pick_needle(double snr, const double* scores, Index length, RandomStream& random);

}  // namespace attnlab::needle
