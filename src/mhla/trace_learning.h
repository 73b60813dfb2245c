// Learning a program from traces of its runs: least squares in the dual (kernel) form, with the
// question "do the data determine this answer?" settled prompt by prompt.
//
// arXiv 2410.10101, Lemma 3.1 asks for an invertible second moment of the features. With one-hot
// embeddings that cannot be: coordinates of one attribute exclude each other, so many features are
// 0 on every prompt. The certificate for a single prompt (derived, certificate.h) asks for less,
// and is met.
//
// Training data are taken to be exactly realisable, as traces of a program are.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/types.h"
#include "mhla/kernel.h"
#include "mhla/trace.h"
#include "mhla/trace_kernel.h"

namespace attnlab::mhla {

// Below this squared relative residual a prompt counts as determined.
// Rounding leaves about 1e-12 at a rank of 2000; what is open was never seen below 1e-7.
inline constexpr double kDeterminedTrace = 1e-10;

struct TracePrediction {
  Vector output;    // d
  double residual;  // squared, relative: what of the prompt's features the data do not span
  bool certified;   // residual below kDeterminedTrace: every model that fits the traces says this
};

// Samples whose last tokens have no coordinate in common have kernel 0, and the problem falls into
// parts that do not know each other: for programs, one for each kind of step. Each part is solved
// by Cholesky with complete pivoting.
class TraceLearner {
 public:
  // Traces of one class of programs with d coordinates. Throws kMissing or kOutOfRange (traces),
  // kTooLarge with the bytes needed.
  TraceLearner(Index d, std::vector<Trace> traces, double memory_limit = 1e9);

  bool step();  // a few milliseconds; true at the end
  double progress() const;
  Index sample_count() const { return static_cast<Index>(samples_.size()); }
  // Of the samples' features; final at the end.
  Index rank() const;

  // One sample: the first `length` tokens of a trace, answered by the next one.
  struct Sample {
    Index trace;
    Index length;
  };
  std::span<const SparseToken> prompt(const Sample& sample) const;
  // Independent samples that span all others.
  std::vector<Sample> pivots() const;

  // After the end. Cost rank^2 / 2 + rank d at most.
  TracePrediction predict(std::span<const SparseToken> prompt);

 private:
  struct Part {
    std::vector<Index> samples;
    std::unique_ptr<PivotedCholesky> cholesky;
    Matrix lower;    // L on the pivots, row-major for the solves
    Matrix answers;  // L^-1 Y, rank x d
    Index solved = 0;
    bool chosen = false;
  };
  void split_into_parts();
  void choose_pivot(Part& part, Index pivot);
  void begin_answers(Part& part);
  void solve_answers(Part& part);
  const Sample& pivot_sample(const Part& part, Index r) const;

  Index d_;
  std::vector<Trace> traces_;
  std::vector<Sample> samples_;
  TraceKernel kernel_;
  std::vector<Part> parts_;
  std::vector<Index> part_of_row_;  // -1 for coordinates that no sample's last token has
  std::size_t current_ = 0;         // part
};

}  // namespace attnlab::mhla
