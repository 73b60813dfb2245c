// Prompts with a hidden token, and the two attentions that look for it: what needle.haystack draws,
// plays and trains.
#pragma once

#include <string>
#include <vector>

#include "core/random.h"
#include "experiments/descriptor.h"
#include "needle/population_risk.h"
#include "needle/sampler.h"

namespace attnlab::experiments {

const Descriptor& needle_haystack_descriptor();

// Where the tokens come from: drawn (rows empty), or the rows of a matrix or of a text's words.
struct Haystack {
  Matrix rows;                     // pool of tokens, unit variances; empty: Gaussian tokens
  std::vector<std::string> names;  // of the rows, for a text
  bool in_order = false;           // windows of a text, not single draws
  needle::Teacher teacher;
  Index dimension = 0;
};
Haystack make_haystack(const Values& values, std::uint64_t seed);

struct HaystackPrompt {
  Matrix tokens;            // L x D
  std::vector<Index> rows;  // of the pool; empty for Gaussian tokens
  Index needle = 0;
  double label = 0;
};
HaystackPrompt draw_prompt(const Haystack& haystack, const needle::Problem& problem,
                           RandomStream& random);

// k = scale k*, v = output v*.
struct Searcher {
  needle::Kernel kernel;
  double scale;
  double output;
};
// At `sharpness` of the best scale, with the best output for that scale. Under argmax softmax,
// whose best scale is infinite, takes 12.
Searcher make_searcher(const needle::Problem& problem, needle::Kernel kernel, double sharpness);

// How a prompt was answered. f = sum_l attention_l (X_l.v*)/sqrt(D).
struct Answer {
  Vector attention;    // output * sigma(chi)
  double share = 0;    // |attention| on the needle over the sum of |attention|
  bool found = false;  // share >= 1/2
  double squared_error = 0;
};
Answer answer(const Haystack& haystack, const HaystackPrompt& prompt, needle::Kernel kernel,
              const VectorRef& key, const VectorRef& value);

}  // namespace attnlab::experiments
