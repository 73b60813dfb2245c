// Many finite prompts of many sizes, from one or more sources, seen at several magnitudes of a: the
// simulation that the experiments on concentration share.
//
// Prompts of different sizes are independent of each other (they are not grown), so the points of
// a curve are too. The magnitudes see the same prompts, so the curves of one source are not.
#pragma once

#include <functional>
#include <memory>

#include "experiments/moments.h"
#include "experiments/run.h"
#include "experiments/token_source.h"
#include "measure/finite_prompt.h"

namespace attnlab::experiments {

struct PromptSweep {
  std::vector<TokenSource> sources;
  std::vector<double> magnitudes;
  std::vector<Index> sizes;       // n, ascending
  std::vector<Index> replicates;  // prompts of each size
  Index blocks = 1;               // tasks a source; each does its share of every size
  std::uint64_t seed = 0;
  bool covariances = false;
  std::size_t quantities = 1;
  // Writes `quantities` numbers about one prompt at one magnitude. Where the source has no limit at
  // that magnitude, `limit` is all zeros.
  std::function<void(const measure::PromptSummary& prompt, const measure::Tilted& limit, Index n,
                     double* out)>
      measure_prompt;
};

// Sizes 16, 32, ... up to `largest`; replicates so that every size costs about the same, at most
// 64 times those of the largest.
void plan_sizes(PromptSweep& sweep, Index largest, Index replicates);

std::size_t sweep_task_count(const PromptSweep& sweep);
// Blocks of all sources in turn, so that a first whole figure stands after the first block.
std::unique_ptr<Task> sweep_task(std::shared_ptr<const PromptSweep> sweep, std::size_t number);

// What all records so far say; entry (source, size, magnitude, quantity).
class SweepTotals {
 public:
  SweepTotals(const PromptSweep& sweep, std::span<const Record> records);
  const Moments& at(std::size_t source, std::size_t size, std::size_t magnitude,
                    std::size_t quantity) const;

 private:
  std::size_t sizes_, magnitudes_, quantities_;
  std::vector<Moments> moments_;
};

}  // namespace attnlab::experiments
