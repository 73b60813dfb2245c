// An experiment that is not registered: small, exact, with a parameter of every type.
#pragma once

#include <cmath>
#include <limits>
#include <memory>

#include "core/random.h"
#include "experiments/parameters.h"
#include "experiments/run.h"

namespace attnlab::tests {

inline experiments::Parameter make_parameter(std::string name, experiments::ParameterType type,
                                             experiments::Value value, double minimum = 0,
                                             double maximum = 0) {
  experiments::Parameter parameter;
  parameter.name = std::move(name);
  parameter.type = type;
  parameter.default_value = std::move(value);
  parameter.minimum = minimum;
  parameter.maximum = maximum;
  return parameter;
}

// Task k adds up the k-th stream's uniforms in `count` steps; diverges at `divergeAt` if that is
// not 0.
class SumTask final : public experiments::Task {
 public:
  SumTask(std::uint64_t seed, std::uint64_t number, Index count, Index diverge_at)
      : random_(seed, stream_of({7, number})), count_(count), diverge_at_(diverge_at) {}

  bool step() override {
    sum_ += random_.uniform();
    ++done_;
    diverged_ = done_ == diverge_at_;
    return diverged_ || done_ >= count_;
  }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(count_);
  }
  experiments::Record record() const override { return {sum_, static_cast<double>(done_)}; }
  std::optional<std::int64_t> diverged_at() const override {
    return diverged_ ? std::optional<std::int64_t>(done_) : std::nullopt;
  }

 private:
  RandomStream random_;
  Index count_;
  Index diverge_at_;
  Index done_ = 0;
  double sum_ = 0;
  bool diverged_ = false;
};

class SumPlan final : public experiments::Plan {
 public:
  SumPlan(const experiments::Values& values, std::uint64_t seed)
      : seed_(seed),
        tasks_(experiments::count(values, "tasks")),
        steps_(experiments::count(values, "steps")),
        diverge_at_(experiments::count(values, "divergeAt")) {}

  std::size_t task_count() const override { return static_cast<std::size_t>(tasks_); }
  std::unique_ptr<experiments::Task> task(std::size_t number) const override {
    // Every second task diverges, the later the higher its number.
    const Index diverge_at =
        diverge_at_ > 0 && number % 2 == 1 ? diverge_at_ + static_cast<Index>(number) : 0;
    return std::make_unique<SumTask>(seed_, number, steps_, diverge_at);
  }
  experiments::Tables summarise(std::span<const experiments::Record> records) const override {
    experiments::Table table{"sums", std::vector<experiments::ColumnData>(3)};
    for (std::size_t k = 0; k < records.size(); ++k) {
      if (records[k].empty()) continue;
      table.columns[0].texts.push_back("task " + std::to_string(k));
      table.columns[1].numbers.push_back(records[k][0]);
      table.columns[2].numbers.push_back(records[k][1]);
    }
    return {table};
  }

 private:
  std::uint64_t seed_;
  Index tasks_;
  Index steps_;
  Index diverge_at_;
};

inline std::unique_ptr<experiments::Plan> prepare_sums(const experiments::Values& values,
                                                       std::uint64_t seed) {
  return std::make_unique<SumPlan>(values, seed);
}

inline constexpr experiments::Identity kSampleSums = {"sample.sums", "needle", 0};

inline experiments::Descriptor make_sample_descriptor() {
  using experiments::ParameterType;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  experiments::Descriptor descriptor(kSampleSums);
  descriptor.title = "Say \"sum\"?\n";
  descriptor.parameters = {
      make_parameter("tasks", ParameterType::kInteger, 4.0, 0, 100),
      make_parameter("steps", ParameterType::kInteger, 10.0, 1, 1000),
      make_parameter("divergeAt", ParameterType::kInteger, 0.0, 0, 1000),
      make_parameter("snr", ParameterType::kNumber, kInfinity, 0, kInfinity),
      make_parameter("centred", ParameterType::kBoolean, false),
      make_parameter("kernel", ParameterType::kChoice, std::string("softmax")),
      make_parameter("sizes", ParameterType::kNumbers, std::vector<double>{1, 2}, -1, 5),
      make_parameter("text", ParameterType::kText, std::string("a"), 0, 8),
      make_parameter("tokens", ParameterType::kMatrix, Matrix(0, 0)),
  };
  descriptor.parameters[5].choices = {{"softmax", "Softmax"}, {"linear", "Linear"}};
  descriptor.parameters[6].maximum_count = 3;
  experiments::Preset preset;
  preset.name = "longer";
  preset.values = {{"steps", 20.0}, {"kernel", std::string("linear")}};
  descriptor.presets = {preset};
  descriptor.tables = {{"sums",
                        "Sums",
                        {{"task", "", "", "task", experiments::ColumnType::kText},
                         {"sum", "S", "", "sum", experiments::ColumnType::kNumber},
                         {"steps", "", "steps", "steps", experiments::ColumnType::kNumber}}}};
  return descriptor;
}

inline const experiments::Descriptor& sample_descriptor() {
  static const experiments::Descriptor made = make_sample_descriptor();
  return made;
}

inline experiments::Experiment sample_experiment() {
  return {kSampleSums, sample_descriptor, prepare_sums};
}

}  // namespace attnlab::tests
