// Single-location regression (SLR): one token of a prompt decides the label, and a hidden key says
// which one. Duranthon, Marion, Boyer, Loureiro, Zdeborova, arXiv 2509.21936.
//
// A prompt is L x D, a row a token. k* and v* in R^D are the hidden key and the hidden value, with
// |k*|^2 = |v*|^2 = D and k*.v* = 0 up to O(1/sqrt D). With chi* = X k*/sqrt(D) in R^L,
//   label  y = X_needle . v*/sqrt(D) + Delta xi,   xi ~ N(0, 1)
//   spiked X_l = G_l + [l = needle] sqrt(nu/D) k*, G iid N(0, 1), the needle uniform
//   max    X iid N(0, 1), the needle drawn from softmax(nu chi*); nu = Infinity: argmax chi*
// Both have P(needle | X) = softmax(c chi*) with c = sqrt(nu) (spiked) or nu (max).
// The length may be drawn for each prompt, uniformly from a range of whole numbers.
//
// Every risk in this room is the excess risk E (y - f)^2 - Delta^2; f = 0 has risk 1.
#pragma once

#include <string_view>

#include "core/types.h"

namespace attnlab::needle {

enum class Model { kSpiked, kMax };

// The longest prompt that the state evolutions and message passing keep room for.
inline constexpr Index kLargestEvolutionLength = 8;

// "spiked", "max"; throws kUnknownName ("model").
Model model_named(std::string_view name);

struct Lengths {
  Index minimum = 2;
  Index maximum = 2;

  Index count() const { return maximum - minimum + 1; }
  bool fixed() const { return minimum == maximum; }
  double probability() const { return 1.0 / static_cast<double>(count()); }
  double mean() const { return 0.5 * static_cast<double>(minimum + maximum); }
};

struct Problem {
  Model model = Model::kSpiked;
  double snr = 2;    // nu >= 0; Infinity for max
  Lengths lengths;   // L
  double noise = 0;  // Delta >= 0: standard deviation of the label noise
};

// Throws Error naming model, snr, length or noise as the caller spells them. What is allowed: nu in
// [0, 1000] for spiked; [0, 64] or Infinity for max; 1 <= L <= 1000; noise in [0, 100].
void validate(const Problem& problem);

// c: the factor of chi* in the posterior of the needle; Infinity for max with nu = Infinity.
double posterior_scale(const Problem& problem);

}  // namespace attnlab::needle
