#include "experiments/trace_study.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "core/require.h"
#include "mhla/automaton.h"
#include "mhla/roll_out.h"
#include "mhla/trace_learning.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kInputStream = 0xa0;
constexpr double kMemoryLimit = 1e9;  // bytes

// Head of a record; then, for replicate 0, the picture.
enum Entry : std::size_t {
  kSamples,
  kRank,
  kAsked,
  kCertified,
  kCertifiedRight,
  kRight,
  kLargestError,
  kLeastOpenResidual,
  kRuns,
  kRunsExact,
  kEntryCount
};

std::vector<std::uint64_t> draw_inputs(const TraceStudy& study, Index replicate) {
  RandomStream stream(study.seed, stream_of({kInputStream, static_cast<std::uint64_t>(replicate)}));
  const Index count = study.sizes.back() + study.asked;
  return mhla::distinct_numbers(study.inputs, static_cast<std::size_t>(count), stream);
}

class StudyTask final : public Task {
 public:
  StudyTask(std::shared_ptr<const TraceStudy> study, std::size_t number)
      : study_(std::move(study)),
        replicate_(static_cast<Index>(number / study_->sizes.size())),
        traces_(study_->sizes[number % study_->sizes.size()]) {}

  bool step() override {
    if (!learner_) {
      begin();
      return false;
    }
    if (!learned_) {
      learned_ = learner_->step();
      if (learned_) {
        record_.assign(kEntryCount, 0);
        record_[kSamples] = static_cast<double>(learner_->sample_count());
        record_[kRank] = static_cast<double>(learner_->rank());
        record_[kLeastOpenResidual] = 1;
      }
      return false;
    }
    ask_one_step();
    return next_ == asked_.size();
  }

  double progress() const override {
    if (!learner_) return 0;
    if (!learned_) return 0.6 * learner_->progress();
    return 0.6 + 0.4 * static_cast<double>(next_) / static_cast<double>(asked_.size());
  }

  // Whole inputs only.
  Record record() const override { return record_; }

 private:
  void begin() {
    const auto inputs = draw_inputs(*study_, replicate_);
    const auto trace = study_->make_tracer();
    std::vector<mhla::Trace> known;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (i < static_cast<std::size_t>(study_->asked))
        asked_.push_back(trace(inputs[i]));
      else if (static_cast<Index>(known.size()) < traces_)
        known.push_back(trace(inputs[i]));
    }
    learner_ =
        std::make_unique<mhla::TraceLearner>(study_->dimension, std::move(known), 2 * kMemoryLimit);
  }

  void ask_one_step() {
    const mhla::Trace& trace = asked_[next_];
    if (step_ < trace.steps()) {
      outcomes_.push_back(ask(trace, step_++));
      return;
    }
    if (!roll_) roll_.emplace(*learner_, study_->fields, trace);
    if (!roll_->step()) return;
    end_input(trace);
  }

  StepOutcome ask(const mhla::Trace& trace, Index step) {
    const auto length = static_cast<std::size_t>(trace.prompt_length + step);
    const mhla::SparseToken& truth = trace.tokens[length];
    const auto prediction = learner_->predict(std::span(trace.tokens).first(length));
    const bool right = mhla::round_to_token(prediction.output, study_->fields) == truth;
    if (!prediction.certified) {
      least_open_ = std::min(least_open_, prediction.residual);
      return right ? StepOutcome::kRightOpen : StepOutcome::kWrong;
    }
    Vector difference = prediction.output;
    for (const auto& x : truth)
      difference(x.row) -= static_cast<double>(x.value);
    largest_error_ = std::max(largest_error_, difference.cwiseAbs().maxCoeff());
    return right ? StepOutcome::kRightCertified : StepOutcome::kWrongCertified;
  }

  void end_input(const mhla::Trace& trace) {
    for (const StepOutcome outcome : outcomes_) {
      const bool certified =
          outcome == StepOutcome::kRightCertified || outcome == StepOutcome::kWrongCertified;
      const bool right =
          outcome == StepOutcome::kRightCertified || outcome == StepOutcome::kRightOpen;
      record_[kAsked] += 1;
      record_[kCertified] += certified;
      record_[kCertifiedRight] += certified && right;
      record_[kRight] += right;
    }
    record_[kLargestError] = largest_error_;
    record_[kLeastOpenResidual] = least_open_;
    record_[kRuns] += 1;
    record_[kRunsExact] += roll_->trace().tokens == trace.tokens;
    if (replicate_ == 0) {
      record_.push_back(static_cast<double>(outcomes_.size()));
      for (const StepOutcome outcome : outcomes_)
        record_.push_back(static_cast<double>(outcome));
      const auto& tokens = roll_->trace().tokens;
      record_.push_back(static_cast<double>(roll_->trace().steps()));
      for (auto t = static_cast<std::size_t>(trace.prompt_length); t < tokens.size(); ++t) {
        record_.push_back(static_cast<double>(tokens[t].size()));
        for (const auto& x : tokens[t])
          record_.push_back(static_cast<double>(x.row));
      }
    }
    outcomes_.clear();
    roll_.reset();
    step_ = 0;
    ++next_;
  }

  std::shared_ptr<const TraceStudy> study_;
  Index replicate_;
  Index traces_;
  std::unique_ptr<mhla::TraceLearner> learner_;
  bool learned_ = false;
  std::vector<mhla::Trace> asked_;
  std::size_t next_ = 0;
  Index step_ = 0;
  std::vector<StepOutcome> outcomes_;
  std::optional<mhla::RollOut> roll_;
  double largest_error_ = 0;
  double least_open_ = 1;
  Record record_;
};

}  // namespace

void plan_study(TraceStudy& study, const std::vector<double>& sizes, Index asked) {
  study.sizes.clear();
  for (const double size : sizes) {
    if (size != std::floor(size))
      fail(ErrorCode::kNotInteger, "traces", "has " + show(size) + "; whole numbers are expected");
    study.sizes.push_back(static_cast<Index>(size));
  }
  std::sort(study.sizes.begin(), study.sizes.end());
  study.sizes.erase(std::unique(study.sizes.begin(), study.sizes.end()), study.sizes.end());
  const auto largest = static_cast<std::uint64_t>(study.sizes.back());
  if (largest >= study.inputs)
    fail(ErrorCode::kOutOfRange, "traces",
         "has " + std::to_string(largest) + "; the class has " + std::to_string(study.inputs) +
             " inputs, and some must be left to ask about");
  const auto traces = static_cast<double>(largest);
  require_memory(24 * study.part_squares * traces * traces, kMemoryLimit, "traces");
  study.asked =
      static_cast<Index>(std::min(static_cast<std::uint64_t>(asked), study.inputs - largest));
}

double study_task_cost(const TraceStudy& study, std::size_t number) {
  const auto size = static_cast<double>(study.sizes[number % study.sizes.size()]);
  return size * size * (size + 3 * static_cast<double>(study.asked)) + 1;
}

std::unique_ptr<Task> study_task(std::shared_ptr<const TraceStudy> study, std::size_t number) {
  return std::make_unique<StudyTask>(std::move(study), number);
}

std::uint64_t asked_input(const TraceStudy& study, Index which) {
  return draw_inputs(study, 0)[static_cast<std::size_t>(which)];
}

StudyPoint study_point(const TraceStudy& study, std::span<const Record> records, std::size_t size) {
  StudyPoint point;
  point.traces = study.sizes[size];
  for (std::size_t number = size; number < records.size(); number += study.sizes.size()) {
    const Record& record = records[number];
    if (record.empty() || !(record[kAsked] > 0)) continue;
    const double asked = record[kAsked];
    const double open = asked - record[kCertified];
    point.samples.add(record[kSamples]);
    point.rank.add(record[kRank]);
    point.certified.add(record[kCertified] / asked);
    if (record[kCertified] > 0)
      point.certified_right.add(record[kCertifiedRight] / record[kCertified]);
    if (open > 0) point.open_right.add((record[kRight] - record[kCertifiedRight]) / open);
    point.right.add(record[kRight] / asked);
    point.rolled_out.add(record[kRunsExact] / record[kRuns]);
    point.largest_error = std::max(point.largest_error, record[kLargestError]);
    point.wrong_certified += record[kCertified] - record[kCertifiedRight];
    point.least_open_residual = std::min(point.least_open_residual, record[kLeastOpenResidual]);
  }
  return point;
}

StudyPicture study_picture(const TraceStudy& study, std::span<const Record> records,
                           std::size_t size) {
  StudyPicture picture;
  if (study.replicates == 0) return picture;
  const Record& record = records[size];
  for (std::size_t at = kEntryCount; at < record.size();) {
    const auto take = [&] { return record[at++]; };
    auto& outcomes = picture.outcomes.emplace_back();
    for (auto steps = static_cast<Index>(take()); steps > 0; --steps)
      outcomes.push_back(static_cast<StepOutcome>(static_cast<int>(take())));
    auto& run = picture.runs.emplace_back();
    for (auto steps = static_cast<Index>(take()); steps > 0; --steps) {
      auto& token = run.emplace_back();
      for (auto ones = static_cast<Index>(take()); ones > 0; --ones)
        token.push_back({static_cast<Index>(take()), 1});
    }
  }
  return picture;
}

}  // namespace attnlab::experiments
