#include "experiments/turing_tape.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "experiments/parameters.h"
#include "mhla/automaton.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kMachineStream = 0xa2;
constexpr Index kRandomWidth = 9;
constexpr Index kMostCells = 4096;  // width * steps, which the history writes out

struct Known {
  const char* name;
  const char* rules;
  const char* tape;
  Index head;
  Index steps;
};
// Enough cells that the head stays on the tape, and one step more than until they halt.
constexpr Known kKnown[] = {
    {"busy-beaver-2", "1RB1LB_1LA1RH", "000000", 3, 7},
    {"busy-beaver-3", "1RB1RH_1LB0RC_1LC1LA", "000000", 2, 22},
    {"busy-beaver-4", "1RB1LB_1LA0LC_1RH1LD_1RD0RA", "0000000000000000", 11, 107},
    // A: go to the right end, marked 2. B: add one, carrying to the left. C: back to the left end.
    {"binary-counter", "0RA1RA2LB_1RA0LB2RB", "000002", 0, 40}};

std::vector<Index> read_tape(const std::string& text, Index symbols) {
  std::vector<Index> tape;
  for (const char c : text) {
    if (c < '0' || c >= '0' + symbols)
      fail(ErrorCode::kMalformed, "tape",
           "holds \"" + std::string(1, c) + "\"; the machine's symbols are 0 to " +
               std::to_string(symbols - 1));
    tape.push_back(c - '0');
  }
  if (tape.empty()) fail(ErrorCode::kMissing, "tape", "is empty");
  return tape;
}

mhla::TuringMachine read_rules(const std::string& rules) {
  try {
    return mhla::parse_machine(rules);
  } catch (const Error& error) {
    std::string message = error.what();
    message.erase(0, std::min(message.size(), error.parameter().size() + 2));
    fail(error.code(), "rules", message);
  }
}

class TapeTask final : public Task {
 public:
  TapeTask(const mhla::TuringLayout& layout, const mhla::TuringInput& input)
      : layout_(layout), input_(input) {}

  bool step() override {
    if (!execution_) {
      attention_ = std::make_unique<mhla::SparseAttention>(turing_heads(layout_));
      execution_ = std::make_unique<mhla::TuringExecution>(layout_, *attention_, input_);
      return false;
    }
    const bool done = execution_->step();
    const auto token = static_cast<Index>(attention_->tokens().size()) - 1;
    if (token < kReadTokens)
      for (const auto& read : attention_->reads())
        reads_.push_back({token, read.token, read.head});
    return done;
  }
  double progress() const override {
    if (!execution_) return 0;
    const auto all = static_cast<double>((layout_.steps + 1) * layout_.width);
    double written = 0;
    for (const auto& row : execution_->rows())
      written += static_cast<double>(row.size());
    return written / all;
  }
  // exact, tokens, reads (three numbers each), then state and symbol of each cell.
  Record record() const override {
    if (!execution_) return {};
    Record record{execution_->exact() ? 1.0 : 0.0, static_cast<double>(attention_->tokens().size()),
                  static_cast<double>(reads_.size())};
    for (const auto& read : reads_)
      for (const Index value : {read.token, read.read, read.head})
        record.push_back(static_cast<double>(value));
    for (const auto& row : execution_->rows())
      for (const auto& cell : row) {
        record.push_back(static_cast<double>(cell.state));
        record.push_back(static_cast<double>(cell.symbol));
      }
    return record;
  }

 private:
  mhla::TuringLayout layout_;
  mhla::TuringInput input_;
  std::unique_ptr<mhla::SparseAttention> attention_;
  std::unique_ptr<mhla::TuringExecution> execution_;
  std::vector<TapeProgress::Read> reads_;
};

}  // namespace

TapeChoice chosen_tape(const Values& values, std::uint64_t seed) {
  const std::string& name = text(values, "machine");
  TapeChoice choice;
  choice.steps = count(values, "steps");
  if (name == "random") {
    RandomStream stream(seed, stream_of({kMachineStream}));
    choice.input.machine = mhla::random_machine(count(values, "states"), 2, stream);
    choice.input.tape = mhla::random_word(kRandomWidth, 2, stream);
    choice.input.head = kRandomWidth / 2;
  } else if (name == "own") {
    choice.input.machine = read_rules(text(values, "rules"));
    choice.input.tape = read_tape(text(values, "tape"), choice.input.machine.symbols);
    choice.input.head = count(values, "head");
  } else {
    for (const Known& known : kKnown)
      if (name == known.name) {
        choice.input.machine = mhla::parse_machine(known.rules);
        choice.input.tape = read_tape(known.tape, choice.input.machine.symbols);
        choice.input.head = known.head;
        choice.steps = known.steps;
      }
  }
  require_input(choice.input);
  const auto width = static_cast<Index>(choice.input.tape.size());
  if (width * choice.steps > kMostCells)
    fail(ErrorCode::kTooLarge, "steps",
         "times cells are " + std::to_string(width * choice.steps) + "; at most " +
             std::to_string(kMostCells) + " cells are written");
  return choice;
}

std::unique_ptr<Task> tape_task(const mhla::TuringLayout& layout, const mhla::TuringInput& input) {
  return std::make_unique<TapeTask>(layout, input);
}

TapeProgress tape_progress(const mhla::TuringLayout& layout, const Record& record) {
  TapeProgress progress;
  if (record.empty()) return progress;
  progress.exact = record[0] == 1;
  progress.tokens = static_cast<Index>(record[1]);
  std::size_t at = 3;
  const auto take = [&] { return static_cast<Index>(record[at++]); };
  for (auto reads = static_cast<Index>(record[2]); reads > 0; --reads) {
    const Index token = take();
    const Index read = take();
    progress.reads.push_back({token, read, take()});
  }
  while (at < record.size()) {
    if (progress.rows.empty() || static_cast<Index>(progress.rows.back().size()) == layout.width)
      progress.rows.emplace_back();
    const Index state = take();
    progress.rows.back().push_back({state, take()});
  }
  return progress;
}

}  // namespace attnlab::experiments
