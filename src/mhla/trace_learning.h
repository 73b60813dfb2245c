// Learning a program from traces of its runs: least squares in the dual (kernel) form, with the
// question "do the data determine this answer?" settled prompt by prompt.
//
// arXiv 2410.10101, Lemma 3.1 asks for an invertible second moment of the features. With one-hot
// embeddings that cannot be: coordinates of one attribute exclude each other, so many features are
// 0 on every prompt. The certificate for a single prompt (derived, certificate.h) asks for less,
// and is met.
//
// The kernel of two prompts is k = |Z Z'^T|_F^2 <z_n, z'_n'>, here of sparse whole-number tokens:
// exact in double precision. Training data are taken to be exactly realisable, as traces of a
// program are.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/types.h"
#include "mhla/kernel.h"
#include "mhla/trace.h"

namespace attnlab::mhla {

// Kernel values of one prompt against all steps of traces.
class TraceKernel {
 public:
  // d at most 4096: memory 8 d^2 bytes. kTooLarge ("dimension").
  explicit TraceKernel(Index d);
  // The prompt that all others are set against.
  void set(std::span<const SparseToken> prompt);
  double self() const { return self_; }
  // Appends k for each step of the trace: the prefixes of prompt_length, prompt_length + 1, ...
  // tokens. Cost: the tokens of the trace, times the square of the entries of one.
  void append_against(const Trace& trace, std::vector<double>& out) const;
  double against(std::span<const SparseToken> prompt) const;

 private:
  double quadratic(const SparseToken& token) const;  // z^T G z
  Index d_;
  std::vector<double> gram_;   // d x d
  std::vector<double> query_;  // z_n
  SparseToken last_;
  std::vector<std::size_t> touched_;
  double self_ = 0;
};

struct TracePrediction {
  Vector output;    // d
  double residual;  // squared, relative: what of the prompt's features the data do not span
  bool certified;   // every model that fits the traces gives this output
};

class TraceLearner {
 public:
  // Traces of one program class with d coordinates. Throws kMissing, kOutOfRange (traces),
  // kTooLarge (with the bytes needed).
  TraceLearner(Index d, std::vector<Trace> traces, double memory_limit = 1e9);

  bool step();  // a few milliseconds; true at the end
  double progress() const;
  Index sample_count() const { return static_cast<Index>(samples_.size()); }
  Index rank() const { return cholesky_->rank(); }
  // The independent samples that span the others, as (trace, tokens of the prefix).
  struct Sample {
    Index trace;
    Index length;
  };
  std::vector<Sample> pivots() const;
  std::span<const SparseToken> prompt(const Sample& sample) const;

  // After the end. Cost rank^2 / 2 + rank d.
  TracePrediction predict(std::span<const SparseToken> prompt);

 private:
  void finish();

  Index d_;
  std::vector<Trace> traces_;
  std::vector<Sample> samples_;
  TraceKernel kernel_;
  std::unique_ptr<PivotedCholesky> cholesky_;
  Matrix lower_;    // L on the pivots, row-major
  Matrix answers_;  // L^-1 Y, rank x d
  Index solved_ = 0;
  bool chosen_ = false;
  std::vector<std::vector<std::size_t>> pivots_by_trace_;
};

// Below this squared relative residual a prompt counts as determined.
constexpr double kDeterminedTrace = 1e-12;

// The token nearest to an output: in each field (fields as in the layouts) the largest entry
// becomes 1 if it is above 1/2, everything else 0.
SparseToken round_to_token(const VectorRef& output, std::span<const Index> fields);

// Continues the prompt of `trace` by the learner's own rounded outputs, as many steps as the trace
// has. Rounding an output to nothing ends the roll-out early.
class RollOut {
 public:
  RollOut(TraceLearner& learner, std::span<const Index> fields, const Trace& trace);
  bool step();  // one token; true at the end
  const Trace& trace() const { return trace_; }
  // Steps that were certified, among those made.
  Index certified() const { return certified_; }

 private:
  TraceLearner& learner_;
  std::span<const Index> fields_;
  Trace trace_;
  Index wanted_;
  Index certified_ = 0;
};

}  // namespace attnlab::mhla
