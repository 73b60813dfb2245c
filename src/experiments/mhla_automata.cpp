// mhla.automata: finite automata on linear attention, executed exactly and learned from traces.
#include "experiments/mhla_automata.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "experiments/trace_study.h"
#include "mhla/automaton_attention.h"
#include "mhla/features.h"

namespace attnlab::experiments {
namespace {

using mhla::AutomatonLayout;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kExecutionStream = 0xa1;

// Random automata under fixed weights, and compiled into weights of their own. Record: executed,
// exact, and the same compiled.
class ExecutionTask final : public Task {
 public:
  ExecutionTask(const AutomatonLayout& layout, Index automata, std::uint64_t seed)
      : layout_(layout),
        compiled_(layout),
        stream_(seed, stream_of({kExecutionStream})),
        attention_(universal_automaton_heads(layout)),
        automata_(automata) {
    compiled_.compiled = true;
  }

  bool step() override {
    for (int i = 0; i < 5 && record_[0] < static_cast<double>(automata_); ++i) {
      const mhla::AutomatonInput input{
          mhla::random_automaton(layout_.states, layout_.letters, stream_),
          mhla::random_word(layout_.length, layout_.letters, stream_),
          static_cast<Index>(stream_.below(static_cast<std::uint64_t>(layout_.states)))};
      const auto truth = mhla::run(input.automaton, input.word, input.start);
      const auto count = [&truth](const mhla::AutomatonExecution& run) {
        return run.exact && run.history == truth ? 1.0 : 0.0;
      };
      mhla::SparseAttention own(compiled_automaton_heads(compiled_, input.automaton));
      record_[0] += 1;
      record_[1] += count(execute(layout_, attention_, input));
      record_[2] += count(execute(compiled_, own, input));
    }
    return record_[0] >= static_cast<double>(automata_);
  }
  double progress() const override { return record_[0] / static_cast<double>(automata_); }
  Record record() const override { return record_; }

 private:
  AutomatonLayout layout_, compiled_;
  RandomStream stream_;
  mhla::SparseAttention attention_;
  Index automata_;
  Record record_ = {0, 0, 0};
};

class AutomataPlan final : public Plan {
 public:
  AutomataPlan(const Values& values, std::uint64_t seed)
      : layout_(mhla::automaton_layout(count(values, "length"), count(values, "states"),
                                       count(values, "letters"))),
        executed_(count(values, "executed")),
        seed_(seed) {
    const AutomatonLayout layout = layout_;
    auto study = std::make_shared<TraceStudy>();
    study->dimension = layout.dimension();
    study->fields = layout.fields();
    study->inputs = mhla::automaton_input_count(layout.states, layout.letters, layout.length);
    study->make_tracer = [layout] {
      auto attention = std::make_shared<mhla::SparseAttention>(universal_automaton_heads(layout));
      return [layout, attention](std::uint64_t number) {
        return execute(layout, *attention,
                       mhla::automaton_input(layout.states, layout.letters, layout.length, number))
            .trace;
      };
    };
    // One part a time and state, and one a time, state and letter.
    study->part_squares = static_cast<double>(layout.length) / static_cast<double>(layout.states) *
                          (1 + 1 / static_cast<double>(layout.letters));
    study->replicates = count(values, "replicates");
    study->seed = seed;
    plan_study(*study, numbers(values, "traces"), count(values, "asked"));
    example_ = count(values, "example") - 1;
    if (example_ >= study->asked)
      fail(ErrorCode::kOutOfRange, "example",
           "is " + std::to_string(example_ + 1) + "; " + std::to_string(study->asked) +
               " inputs are asked");
    study_ = std::move(study);
  }

  std::size_t task_count() const override { return study_task_count(*study_) + 1; }
  // The execution first, then the study.
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number == 0) return std::make_unique<ExecutionTask>(layout_, executed_, seed_);
    return study_task(study_, number - 1);
  }
  double cost(std::size_t number) const override {
    return number == 0 ? 1e4 : study_task_cost(*study_, number - 1);
  }

  Tables summarise(std::span<const Record> records) const override {
    const Descriptor& descriptor = mhla_automata_descriptor();
    const auto study_records = records.subspan(1);
    TableRows points(descriptor, "points"), curves(descriptor, "curves"),
        summary(descriptor, "summary");
    const auto [last, pictured] = add_study(*study_, study_records, points, curves);
    const Record& executed = records[0];
    const auto percent = [](const Moments& share) { return 100 * share.mean().value; };
    if (last.traces > 0)
      summary.add({static_cast<double>(last.traces), static_cast<double>(study_->inputs),
                   static_cast<double>(study_->dimension),
                   static_cast<double>(mhla::feature_count(study_->dimension)),
                   last.rank.mean().value, percent(last.certified), last.wrong_certified,
                   percent(last.right), percent(last.rolled_out),
                   executed.empty() ? 0.0 : executed[0], executed.empty() ? 0.0 : executed[1]});
    TableRows outcomes(descriptor, "outcomes"), example(descriptor, "example");
    const StudyPicture picture = study_picture(*study_, study_records, pictured);
    for (std::size_t i = 0; i < picture.outcomes.size(); ++i)
      for (std::size_t s = 0; s < picture.outcomes[i].size(); ++s)
        outcomes.add({static_cast<double>(study_->sizes[pictured]), static_cast<double>(i + 1),
                      static_cast<double>(s + 1), static_cast<double>(picture.outcomes[i][s])});
    add_example(example, study_->sizes[pictured], picture);
    return {points.take(),          curves.take(),   summary.take(),
            construction(executed), outcomes.take(), example.take()};
  }

 private:
  Table construction(const Record& executed) const {
    TableRows rows(mhla_automata_descriptor(), "construction");
    AutomatonLayout compiled = layout_;
    compiled.compiled = true;
    const auto length = static_cast<double>(layout_.length);
    const auto states = static_cast<double>(layout_.states);
    const auto entry = [&](std::size_t i) { return executed.empty() ? 0.0 : executed[i]; };
    rows.add({"in the prompt", static_cast<double>(layout_.dimension()), length * (states + 1), 2.0,
              entry(0), entry(1)});
    rows.add({"in the weights", static_cast<double>(compiled.dimension()), length * states, 1.0,
              entry(0), entry(2)});
    return rows.take();
  }

  void add_example(TableRows& example, Index traces, const StudyPicture& picture) const {
    const auto input = mhla::automaton_input(layout_.states, layout_.letters, layout_.length,
                                             asked_input(*study_, example_));
    const auto history = mhla::run(input.automaton, input.word, input.start);
    std::vector<Index> learned;
    if (static_cast<Index>(picture.runs.size()) > example_) {
      mhla::Trace trace{automaton_prompt(layout_, input), 0};
      trace.prompt_length = static_cast<Index>(trace.tokens.size());
      for (const auto& token : picture.runs[static_cast<std::size_t>(example_)])
        trace.tokens.push_back(token);
      learned = decode_states(layout_, trace);
    }
    for (std::size_t t = 0; t < history.size(); ++t) {
      const bool known = t < learned.size() && learned[t] >= 0;
      const std::string letter(
          1, t < input.word.size() ? static_cast<char>('a' + input.word[t]) : ' ');
      example.add({static_cast<double>(traces), static_cast<double>(t), letter,
                   static_cast<double>(history[t]),
                   known ? static_cast<double>(learned[t]) : kNaN});
    }
  }

  AutomatonLayout layout_;
  Index executed_;
  std::uint64_t seed_;
  Index example_ = 0;
  std::shared_ptr<const TraceStudy> study_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<AutomataPlan>(values, seed);
}

const Registration kRegistration(kMhlaAutomata, mhla_automata_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
