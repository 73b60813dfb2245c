// large-prompt.training: training on finite prompts beside the infinite-prompt flow.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "experiments/large_prompt_training.h"
#include "experiments/moments.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/slope.h"
#include "experiments/table_rows.h"
#include "regression/training.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kTestStream = 0x91;
constexpr std::size_t kRowSize = 5;  // time, loss, product error, parameter error, b

const Descriptor& descriptor() {
  return large_prompt_training_descriptor();
}

struct Setting {
  regression::PromptLaw law;
  regression::Head start;
  std::vector<Index> lengths;
  Index runs;  // a length
  Index steps;
  double dt;
  Index batch;
  regression::Trainer trainer;
  Index test_prompts;
  std::uint64_t seed;
  std::vector<regression::Head> flow;  // infinite prompt, at every step
};

// One training run; at every step the distance from the flow, at the end a fresh test.
class TrainingTask final : public Task {
 public:
  TrainingTask(const Setting& setting, std::size_t number)
      : setting_(setting),
        length_(setting.lengths[number % setting.lengths.size()]),
        number_(number),
        training_(options(), setting.start) {}

  bool step() override {
    if (training_.steps() < setting_.steps) {
      const regression::Head before = training_.head();
      if (!training_.step()) {
        diverged_ = training_.steps();
        return true;
      }
      add_row(before, training_.steps() - 1);
      return false;
    }
    // Fresh prompts, as many examples a step as in training.
    const Index prompts_left = std::min(setting_.batch, setting_.test_prompts - tested_);
    if (prompts_left <= 0) return true;
    RandomStream random(setting_.seed,
                        stream_of({kTestStream, number_, static_cast<std::uint64_t>(tested_)}));
    const auto prompts = regression::draw_prompts(setting_.law, prompts_left, length_, random);
    const Vector gaps = regression::finite_predictions(prompts, training_.head()) - prompts.targets;
    for (Index p = 0; p < prompts_left; ++p)
      test_.add(gaps(p) * gaps(p) / 2);
    tested_ += prompts_left;
    return tested_ >= setting_.test_prompts;
  }

  double progress() const override {
    return static_cast<double>(training_.steps()) / static_cast<double>(setting_.steps + 1);
  }
  Record record() const override {
    Record record = {test_.count, test_.sum, test_.squares};
    record.insert(record.end(), rows_.begin(), rows_.end());
    return record;
  }
  std::optional<std::int64_t> diverged_at() const override { return diverged_; }

 private:
  regression::TrainingOptions options() const {
    regression::TrainingOptions options;
    options.trainer = setting_.trainer;
    options.rate = setting_.dt;
    options.batch = batch();
    options.length = length_;
    options.law = setting_.law;
    options.seed = setting_.seed;
    options.stream = number_;
    return options;
  }

  // Shorter prompts come in larger batches, so that every length sees about as many examples.
  Index batch() const {
    const Index longest = *std::max_element(setting_.lengths.begin(), setting_.lengths.end());
    return setting_.batch * std::min<Index>(longest / length_, 16);
  }

  void add_row(const regression::Head& head, Index step) {
    const auto& flow = setting_.flow[static_cast<std::size_t>(step)];
    const double product = (head.b * head.A - flow.b * flow.A).norm();
    const double gap = head.b - flow.b;
    const double parameters = std::sqrt((head.A - flow.A).squaredNorm() + gap * gap);
    rows_.insert(rows_.end(), {setting_.dt * static_cast<double>(step), training_.loss(), product,
                               parameters, head.b});
  }

  const Setting& setting_;
  Index length_;
  std::size_t number_;
  regression::HeadTraining training_;
  Record rows_;
  Moments test_;
  Index tested_ = 0;
  std::optional<std::int64_t> diverged_;
};

class TrainingPlan final : public Plan {
 public:
  TrainingPlan(const Values& values, std::uint64_t seed) {
    const Index d = count(values, "dimension");
    const double rho = text(values, "covariance") == "kcm" ? 0.5 : 0.0;
    setting_.law.covariance = regression::kcm_covariance(d, rho);
    setting_.law.label_variance = number(values, "labelVariance");
    setting_.start = regression::flow_start(d, number(values, "alpha"));
    for (const double entry : numbers(values, "lengths"))
      setting_.lengths.push_back(static_cast<Index>(entry));
    setting_.runs = count(values, "runs");
    setting_.dt = number(values, "rate");
    setting_.steps = count(values, "steps");
    setting_.batch = count(values, "batch");
    const std::string& trainer = text(values, "trainer");
    setting_.trainer = trainer == "flow"  ? regression::Trainer::kFlow
                       : trainer == "sgd" ? regression::Trainer::kDescent
                                          : regression::Trainer::kAdamW;
    setting_.test_prompts = count(values, "testPrompts");
    setting_.seed = seed;
    std::vector<double> times;
    // Long before this time the flow has come to rest.
    constexpr double kAtRest = 500;
    for (Index i = 0; i <= setting_.steps; ++i)
      times.push_back(std::min(setting_.dt * static_cast<double>(i), kAtRest));
    setting_.flow = regression::infinite_flow(setting_.law.covariance, setting_.start, times, 1e-9);
  }

  std::size_t task_count() const override {
    return setting_.lengths.size() * static_cast<std::size_t>(setting_.runs);
  }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return std::make_unique<TrainingTask>(setting_, number);
  }
  double cost(std::size_t number) const override {
    return static_cast<double>(setting_.lengths[number % setting_.lengths.size()]);
  }

  Tables summarise(std::span<const Record> records) const override {
    TableRows path(descriptor(), "path");
    TableRows ends(descriptor(), "ends");
    TableRows flow(descriptor(), "flow");
    TableRows summary(descriptor(), "summary");
    const Index stride = std::max<Index>(1, setting_.steps / 100);
    std::vector<double> lengths, losses, errors;
    for (std::size_t i = 0; i < setting_.lengths.size(); ++i) {
      const std::string name = "L = " + std::to_string(setting_.lengths[i]);
      for (Index step = 0; step < setting_.steps; step += stride)
        add_path(path, name, i, step, records);
      add_end(ends, name, i, records, lengths, losses, errors);
    }
    for (Index step = 0; step <= setting_.steps; step += stride) {
      const auto& head = setting_.flow[static_cast<std::size_t>(step)];
      flow.add({setting_.dt * static_cast<double>(step),
                regression::infinite_prompt(setting_.law.covariance, head).loss, head.b,
                head.A.norm()});
    }
    const Slope slope = log_slope(lengths, losses, errors, 0);
    const regression::Head limit = regression::flow_limit(setting_.law.covariance);
    summary.add({lengths.back(), losses.back(), errors.back(), slope.value, slope.error, limit.b,
                 limit.A.norm()});
    return {path.take(), ends.take(), flow.take(), summary.take()};
  }

 private:
  // Means over the runs of one length at one step.
  void add_path(TableRows& path, const std::string& name, std::size_t length, Index step,
                std::span<const Record> records) const {
    Moments moments[kRowSize - 1];
    for (std::size_t number = length; number < records.size(); number += setting_.lengths.size()) {
      const std::size_t at = 3 + kRowSize * static_cast<std::size_t>(step);
      if (at + kRowSize > records[number].size()) continue;
      for (std::size_t k = 0; k + 1 < kRowSize; ++k)
        moments[k].add(records[number][at + 1 + k]);
    }
    if (moments[0].count == 0) return;
    path.add({name, static_cast<double>(setting_.lengths[length]),
              setting_.dt * static_cast<double>(step), moments[0].mean().value,
              moments[1].mean().value, moments[1].mean().error, moments[2].mean().value,
              moments[2].mean().error, moments[3].mean().value, moments[0].count});
  }

  void add_end(TableRows& ends, const std::string& name, std::size_t length,
               std::span<const Record> records, std::vector<double>& lengths,
               std::vector<double>& losses, std::vector<double>& errors) const {
    // The spread between runs counts, not only that of the test prompts.
    Moments test, product, parameters;
    for (std::size_t number = length; number < records.size(); number += setting_.lengths.size()) {
      const Record& record = records[number];
      if (record.size() <= 3) continue;
      if (record[0] > 0) test.add(record[1] / record[0]);
      double worst_product = 0;
      double worst = 0;
      for (std::size_t at = 3; at + kRowSize <= record.size(); at += kRowSize) {
        if (record[at] > 2) break;
        worst_product = std::max(worst_product, record[at + 2]);
        worst = std::max(worst, record[at + 3]);
      }
      product.add(worst_product);
      parameters.add(worst);
    }
    const auto L = static_cast<double>(setting_.lengths[length]);
    ends.add({name, L, test.mean().value, test.mean().error, product.mean().value,
              product.mean().error, parameters.mean().value, parameters.mean().error, test.count});
    lengths.push_back(L);
    losses.push_back(test.mean().value);
    errors.push_back(test.mean().error);
  }

  Setting setting_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  for (const double entry : numbers(values, "lengths"))
    if (entry != std::floor(entry))
      fail(ErrorCode::kNotInteger, "lengths",
           "has the entry " + show(entry) + "; whole numbers are expected");
  return std::make_unique<TrainingPlan>(values, seed);
}

const Registration kRegistration(kLargePromptTraining, descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
