// The machine that mhla.turing executes: which, on what tape, for how long; and its execution as a
// task.
#pragma once

#include <memory>
#include <string>

#include "experiments/run.h"
#include "mhla/turing_attention.h"

namespace attnlab::experiments {

struct TapeChoice {
  mhla::TuringInput input;
  Index steps = 1;
};

// Reads machine, rules, tape, head, steps, states. Throws kMalformed (rules, tape), kOutOfRange
// (head).
TapeChoice chosen_tape(const Values& values, std::uint64_t seed);

// What the execution has written so far.
struct TapeProgress {
  std::vector<mhla::TapeRow> rows;
  Index tokens = 0;
  bool exact = true;
  struct Read {
    Index token;  // being written
    Index read;
    Index head;
  };
  std::vector<Read> reads;  // of the first kReadTokens tokens
};
inline constexpr Index kReadTokens = 400;

// One step of attention a step.
std::unique_ptr<Task> tape_task(const mhla::TuringLayout& layout, const mhla::TuringInput& input);
TapeProgress tape_progress(const mhla::TuringLayout& layout, const Record& record);

}  // namespace attnlab::experiments
