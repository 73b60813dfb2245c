// The kernel of linear attention between prefixes of traces (kernel.h, for sparse whole-number
// tokens): k = |Z Z'^T|_F^2 <z_n, z'_n'>, exact in double precision as long as it is below 2^53.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/types.h"
#include "mhla/trace.h"

namespace attnlab::mhla {

// Kernel values of one prompt against all steps of traces.
class TraceKernel {
 public:
  // d at most 2048: memory 8 d^2 bytes. kTooLarge ("dimension").
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

}  // namespace attnlab::mhla
