// mhla.turing: a universal Turing machine on linear attention, executed exactly and learned from
// traces.
#include "experiments/mhla_turing.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "experiments/trace_study.h"
#include "experiments/turing_tape.h"
#include "mhla/features.h"

namespace attnlab::experiments {
namespace {

constexpr Index kLearnedSymbols = 2;

std::string state_name(Index state) {
  return std::string(1, static_cast<char>('A' + state));
}

std::string cell_text(const mhla::Cell& cell) {
  if (cell.symbol < 0) return "?";
  return (cell.state >= 0 ? state_name(cell.state) : "") + std::to_string(cell.symbol);
}

std::shared_ptr<const TraceStudy> make_study(const mhla::TuringLayout& layout, const Values& values,
                                             std::uint64_t seed) {
  auto study = std::make_shared<TraceStudy>();
  study->dimension = layout.dimension();
  study->fields = layout.fields();
  study->inputs = mhla::turing_input_count(layout.states, layout.symbols, layout.width);
  study->make_tracer = [layout] {
    auto attention = std::make_shared<mhla::SparseAttention>(turing_heads(layout));
    return [layout, attention](std::uint64_t number) {
      mhla::TuringExecution execution(
          layout, *attention,
          mhla::turing_input(layout.states, layout.symbols, layout.width, number));
      while (!execution.step()) {
      }
      return execution.trace();
    };
  };
  // Three kinds of steps, one each a cell.
  const auto cells = static_cast<double>(layout.width * layout.steps);
  study->part_squares = 3 * cells * cells;
  study->replicates = count(values, "replicates");
  study->seed = seed;
  plan_study(*study, numbers(values, "traces"), count(values, "asked"));
  return study;
}

class TuringPlan final : public Plan {
 public:
  TuringPlan(const Values& values, std::uint64_t seed)
      : tape_(chosen_tape(values, seed)),
        layout_(mhla::turing_layout(static_cast<Index>(tape_.input.tape.size()), tape_.steps,
                                    tape_.input.machine.states, tape_.input.machine.symbols)),
        learned_(mhla::turing_layout(count(values, "learnedWidth"), count(values, "learnedSteps"),
                                     count(values, "learnedStates"), kLearnedSymbols)),
        study_(make_study(learned_, values, seed)),
        example_(count(values, "example") - 1) {
    if (example_ >= study_->asked)
      fail(ErrorCode::kOutOfRange, "example",
           "is " + std::to_string(example_ + 1) + "; " + std::to_string(study_->asked) +
               " machines are asked");
  }

  std::size_t task_count() const override { return study_task_count(*study_) + 1; }
  // The execution first, then the study.
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number == 0) return tape_task(layout_, tape_.input);
    return study_task(study_, number - 1);
  }
  double cost(std::size_t number) const override {
    return number == 0 ? 1e4 : study_task_cost(*study_, number - 1);
  }

  Tables summarise(std::span<const Record> records) const override {
    const Descriptor& descriptor = mhla_turing_descriptor();
    TableRows summary(descriptor, "summary"), tape(descriptor, "tape"), head(descriptor, "head"),
        wrong(descriptor, "wrong"), reads(descriptor, "reads");
    add_tape(tape_progress(layout_, records[0]), summary, tape, head, wrong, reads);

    const auto study_records = records.subspan(1);
    TableRows points(descriptor, "points"), curves(descriptor, "curves"),
        learned(descriptor, "learned"), outcomes(descriptor, "outcomes");
    const auto [last, pictured] = add_study(*study_, study_records, points, curves);
    if (last.traces > 0) add_learned(learned, last);
    const StudyPicture picture = study_picture(*study_, study_records, pictured);
    const auto traces = static_cast<double>(study_->sizes[pictured]);
    for (std::size_t i = 0; i < picture.outcomes.size(); ++i)
      for (std::size_t s = 0; s < picture.outcomes[i].size(); ++s)
        outcomes.add({traces, static_cast<double>(i + 1), static_cast<double>(s + 1),
                      static_cast<double>(picture.outcomes[i][s])});
    TableRows roll_out(descriptor, "rollOut"), roll_out_wrong(descriptor, "rollOutWrong");
    add_roll_out(picture, traces, roll_out, roll_out_wrong);
    return {summary.take(),  learned.take(),  tape.take(),          head.take(),
            wrong.take(),    reads.take(),    points.take(),        curves.take(),
            outcomes.take(), roll_out.take(), roll_out_wrong.take()};
  }

 private:
  void add_tape(const TapeProgress& progress, TableRows& summary, TableRows& tape, TableRows& head,
                TableRows& wrong, TableRows& reads) const {
    const auto expected = mhla::run(tape_.input, tape_.steps);
    double differs = 0;
    for (std::size_t t = 0; t < progress.rows.size(); ++t)
      for (std::size_t i = 0; i < progress.rows[t].size(); ++i) {
        const mhla::Cell& cell = progress.rows[t][i];
        const auto time = static_cast<double>(t), place = static_cast<double>(i);
        tape.add({time, place, static_cast<double>(cell.symbol),
                  static_cast<double>(expected[t][i].symbol)});
        if (cell.state >= 0) head.add({time, place, state_name(cell.state)});
        if (cell == expected[t][i]) continue;
        differs += 1;
        wrong.add({time, place});
      }
    for (const auto& read : progress.reads)
      reads.add({static_cast<double>(read.token), static_cast<double>(read.read),
                 std::string(turing_head_purpose(layout_, read.head))});
    std::size_t halted = expected.size() - 1;
    while (halted > 0 && expected[halted - 1] == expected[halted])
      --halted;
    const Index heads = 6 * layout_.width * layout_.steps - 4 * layout_.steps + layout_.states + 5;
    summary.add({machine_text(tape_.input.machine), static_cast<double>(layout_.width),
                 static_cast<double>(layout_.steps), static_cast<double>(layout_.dimension()),
                 static_cast<double>(heads), static_cast<double>(progress.tokens), differs,
                 progress.exact ? 1.0 : 0.0, static_cast<double>(halted)});
  }

  void add_learned(TableRows& learned, const StudyPoint& last) const {
    const auto percent = [](const Moments& share) { return 100 * share.mean().value; };
    learned.add({static_cast<double>(last.traces), static_cast<double>(study_->dimension),
                 static_cast<double>(mhla::feature_count(study_->dimension)),
                 last.rank.mean().value, percent(last.certified), last.wrong_certified,
                 percent(last.right), percent(last.rolled_out)});
  }

  void add_roll_out(const StudyPicture& picture, double traces, TableRows& roll_out,
                    TableRows& roll_out_wrong) const {
    if (static_cast<Index>(picture.runs.size()) <= example_) return;
    const auto input = mhla::turing_input(learned_.states, learned_.symbols, learned_.width,
                                          asked_input(*study_, example_));
    const auto expected = mhla::run(input, learned_.steps);
    mhla::SparseAttention attention(turing_heads(learned_));
    mhla::TuringExecution execution(learned_, attention, input);
    while (!execution.step()) {
    }
    const mhla::Trace truth = execution.trace();
    mhla::Trace trace{turing_prompt(learned_, input), 0};
    trace.prompt_length = static_cast<Index>(trace.tokens.size());
    for (const auto& token : picture.runs[static_cast<std::size_t>(example_)])
      trace.tokens.push_back(token);
    std::size_t first = 0;
    for (std::size_t t = trace.tokens.size(); t-- > 0;)
      if (trace.tokens[t] != truth.tokens[t]) first = t + 1;
    if (first == 0 && trace.tokens.size() < truth.tokens.size()) first = trace.tokens.size() + 1;
    const auto rows = decode_rows(learned_, trace);
    const std::string rules = machine_text(input.machine);
    for (std::size_t t = 0; t < expected.size(); ++t)
      for (std::size_t i = 0; i < expected[t].size(); ++i) {
        const bool written = t < rows.size() && i < rows[t].size();
        const mhla::Cell cell = written ? rows[t][i] : mhla::Cell{-1, -1};
        roll_out.add({rules, traces, static_cast<double>(t), static_cast<double>(i),
                      cell_text(expected[t][i]), cell_text(cell), static_cast<double>(cell.symbol),
                      static_cast<double>(first)});
        if (cell != expected[t][i])
          roll_out_wrong.add({static_cast<double>(t), static_cast<double>(i)});
      }
  }

  TapeChoice tape_;
  mhla::TuringLayout layout_, learned_;
  std::shared_ptr<const TraceStudy> study_;
  Index example_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<TuringPlan>(values, seed);
}

const Registration kRegistration(kMhlaTuring, mhla_turing_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
