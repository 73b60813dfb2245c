// Moments of normalised kernels, sigma_l = psi(chi_l) / sum psi(chi), by two-dimensional quadrature
// whatever the length. Inner part of attention_moments.h.
#pragma once

#include "needle/attention_moments.h"

namespace attnlab::needle {

AttentionMoments spiked_normalised_moments(const Problem& problem, Kernel kernel,
                                           const KeyAlignment& alignment);
AttentionMoments max_normalised_moments(const Problem& problem, Kernel kernel,
                                        const KeyAlignment& alignment);
AttentionMoments argmax_normalised_moments(const Problem& problem, Kernel kernel,
                                           const KeyAlignment& alignment);

// softplus under max with nu = Infinity as the scale grows without end: relu where a score is
// positive, the largest score where none is.
AttentionMoments argmax_softplus_limit(const Problem& problem);

// Of log(t psi): e^(-t psi) is 1 before the first and 0 after the second.
inline constexpr double kNoDecay = -45;
inline constexpr double kAllDecayed = 6.7;

// Nodes of a trapezoidal rule for one token, and log psi there. Below the nodes lies a mass whose
// psi is 0 (relu only).
struct TokenRule {
  Vector points;      // chi* or chi, in standard units
  Vector weights;     // of Lebesgue measure at the points
  Vector log_values;  // log psi
  bool has_empty = false;
};
// Points cover [lower, upper] with at most `step` between neighbours. For relu they cover [0,
// upper] and crowd towards the kink. chi = scale * point.
TokenRule token_rule(Kernel kernel, double scale, double lower, double upper, double step);

// A and B from the two probabilities that stay accurate when softmax is nearly certain: miss = 1 -
// A, overlap = E sum_{l != l'} sigma_l sigma_l', and empty = P(no weight anywhere).
AttentionMoments moments_from_misses(double miss, double overlap, double empty);

// The step of chi that resolves exp(-e^(s x + u)) to about 1e-15.
double token_step(double scale);
// Trapezoidal rule for an integral over u = log t, given the range of log psi: where e^(-t psi) is
// neither 0 nor 1 for all tokens. Wide laws of log psi allow long steps: everywhere for softmax,
// for softplus where it is exponential (large t), by a smooth change of variable.
struct TimeRule {
  Vector points;   // u
  Vector weights;  // of du
};
TimeRule time_rule(Kernel kernel, double scale, double lowest_log, double highest_log);

}  // namespace attnlab::needle
