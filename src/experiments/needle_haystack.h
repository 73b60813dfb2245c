// Prompts with a hidden token, and the two attentions that look for it: what needle.haystack draws,
// plays and trains.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "experiments/descriptor.h"
#include "experiments/moments.h"
#include "experiments/needle_setup.h"
#include "experiments/run.h"
#include "needle/population_risk.h"
#include "needle/sampler.h"

namespace attnlab::experiments {

inline constexpr Identity kNeedleHaystack = {"needle.haystack", "needle", 1};
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

// What all tasks share.
struct HaystackGame {
  Haystack haystack;
  std::string model;
  double snr = 0;
  Index length = 0;
  double sharpness = 1;
  Index prompts = 0;
  Index shown = 0;
  Index training_steps = 0;
  std::uint64_t seed = 0;

  needle::Problem problem(Index at_length) const {
    return needle_problem(model, snr, at_length, 0);
  }
};

// What one attention scores over many prompts: found, share of attention, squared error.
struct SearchTally {
  Moments found, share, error;
  void add(const Answer& reply) {
    found.add(reply.found ? 1.0 : 0.0);
    share.add(reply.share);
    error.add(reply.squared_error);
  }
  void write(Record& record) const {
    for (const Moments* m : {&found, &share, &error})
      record.insert(record.end(), {m->count, m->sum, m->squares});
  }
  static SearchTally read(const Record& record, std::size_t at) {
    SearchTally tally;
    for (Moments* m : {&tally.found, &tally.share, &tally.error}) {
      *m = {record[at], record[at + 1], record[at + 2]};
      at += 3;
    }
    return tally;
  }
};
constexpr std::size_t kSearchTallyNumbers = 9;

// Many prompts of one length. Record: theory of softmax and of linear attention, then a tally of
// both.
std::unique_ptr<Task> play_task(std::shared_ptr<const HaystackGame> game, Index length);

// Stochastic gradient descent from small random vectors, on fresh prompts of at most
// kTrainingLength tokens; at every stage a test on prompts of its own. Record: for every finished
// stage a tally.
constexpr Index kTrainingLength = 16;
inline constexpr Index kTrainingStages[] = {0, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
std::unique_ptr<Task> search_training_task(std::shared_ptr<const HaystackGame> game,
                                           needle::Kernel kernel);

}  // namespace attnlab::experiments
