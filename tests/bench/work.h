// Pieces of the core's work, set up once and done many times: what the WebAssembly module, the
// native program and the instruction counts all measure.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace attnlab::bench {

class Work {
 public:
  virtual ~Work() = default;
  // The work once. Bounded: engines that compile in tiers replace functions between calls.
  virtual void run() = 0;
  // What it computed, to be compared.
  virtual std::vector<double> result() const = 0;
  // What it computes from, in a fixed order, for whoever does the same work.
  virtual std::vector<std::vector<double>> inputs() const { return {}; }
};

// Names and sizes (0 where there is no such size):
//   forward-f32, forward-f64, gradient-f32, gradient-f64   n tokens of dimension d
//   linear-f32, linear-f64                                 linear attention, the same
//   gaussians                                              n numbers
//   gram, gram-eigen        n samples of dimension d, by FeatureMoments and by Eigen's rankUpdate
//   needle-gradient         n prompts of 16 tokens of dimension d
// Throws std::invalid_argument for another name.
std::unique_ptr<Work> make_work(std::string_view name, int n, int d);

}  // namespace attnlab::bench
