// What the experiments on the needle share: their parameters of the model, and small pieces of
// tables and tasks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/descriptor.h"
#include "experiments/run.h"
#include "needle/model.h"
#include "needle/predictor.h"

namespace attnlab::experiments {

// "spiked", "max" with finite nu, "argmax" for max with nu = Infinity.
Parameter needle_model_parameter(bool with_finite_max);
Parameter needle_snr_parameter(double value);
Parameter needle_length_parameter(double value, double largest);
Parameter needle_noise_parameter(double value);

// The problem that completed values describe. snr is left out of account for "argmax".
needle::Problem needle_problem(const std::string& model, double snr, Index length, double noise);

// A kernel as tables and figures spell it.
struct KernelColumns {
  needle::Kernel kernel;
  std::string name;    // column prefix, lowerCamel
  std::string label;   // in the legend
  std::string colour;  // by meaning
};

// Rows of numbers into a table of the descriptor that has number columns only.
class NumberRows {
 public:
  NumberRows(const Descriptor& descriptor, const std::string& table);
  void add(const std::vector<double>& row);
  Table take() { return std::move(table_); }

 private:
  Table table_;
};

// A task made of a piece of work that is called until it says it has ended, and of what it has
// found so far.
class PiecewiseTask : public Task {
 public:
  bool step() final {
    ended_ = advance();
    return ended_;
  }

 protected:
  virtual bool advance() = 0;
  bool ended() const { return ended_; }

 private:
  bool ended_ = false;
};

}  // namespace attnlab::experiments
