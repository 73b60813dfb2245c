#include "experiments/needle_setup.h"

#include <limits>

#include "core/error.h"
#include "experiments/describe.h"

namespace attnlab::experiments {

Parameter needle_model_parameter(bool with_finite_max) {
  std::vector<Choice> choices = {{"spiked", "its score is shifted by √ν"}};
  if (with_finite_max) choices.push_back({"max", "drawn by softmax(ν score)"});
  choices.push_back({"argmax", "it has the largest score"});
  return choice("model", std::move(choices), "The needle",
                "Which token decides the label: spiked-SLR, or max-SLR with finite or infinite ν.",
                "model");
}

Parameter needle_snr_parameter(double value) {
  Parameter p =
      parameter(ParameterType::kNumber, "snr", "ν", value, {0, 64, 0.25}, "Strength of the hint ν",
                "How far the needle stands out along the hidden key.", "model");
  p.shown_when = {"model", {"spiked", "max"}};
  return p;
}

Parameter needle_length_parameter(double value, double largest) {
  return parameter(ParameterType::kInteger, "length", "L", value, {1, largest, 1},
                   "Tokens in a prompt", "One of them is the needle.", "model");
}

Parameter needle_noise_parameter(double value) {
  return parameter(ParameterType::kNumber, "noise", "Δ", value, {0, 4, 0.05}, "Label noise",
                   "Standard deviation of what is added to the label.", "model");
}

needle::Problem needle_problem(const std::string& model, double snr, Index length, double noise) {
  needle::Problem problem;
  problem.model = model == "spiked" ? needle::Model::kSpiked : needle::Model::kMax;
  problem.snr = model == "argmax" ? std::numeric_limits<double>::infinity() : snr;
  problem.lengths = {length, length};
  problem.noise = noise;
  return problem;
}

NumberRows::NumberRows(const Descriptor& descriptor, const std::string& table) {
  for (const auto& spec : descriptor.tables)
    if (spec.name == table) {
      table_.name = table;
      table_.columns.resize(spec.columns.size());
    }
  if (table_.columns.empty())
    fail(ErrorCode::kInternal, table, "is not a table of " + descriptor.id);
}

void NumberRows::add(const std::vector<double>& row) {
  if (row.size() != table_.columns.size())
    fail(ErrorCode::kInternal, table_.name, "a row does not fit its columns");
  for (std::size_t i = 0; i < row.size(); ++i)
    table_.columns[i].numbers.push_back(row[i]);
}

}  // namespace attnlab::experiments
