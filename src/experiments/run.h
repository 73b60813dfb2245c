// How an experiment runs. It cuts its work into tasks that do not depend on each other; a task is
// a pure function of (parameters, seed, task number) and can be left and taken up again between
// steps. What a task found is a flat record of numbers. The tables are a function of all records
// in task order. So neither the slicing of time nor the number of workers, nor the order in which
// tasks end, can change a result.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/descriptor.h"

namespace attnlab::experiments {

using Record = std::vector<double>;

// A table's contents, one entry a column in the order of its TableSpec. Text columns use `texts`,
// number columns `numbers`; the other one stays empty.
struct ColumnData {
  std::vector<double> numbers;
  std::vector<std::string> texts;
};
struct Table {
  std::string name;
  std::vector<ColumnData> columns;
};
using Tables = std::vector<Table>;

class Task {
 public:
  virtual ~Task() = default;
  // One bounded piece of work, a few milliseconds at most. Returns true once the task has ended.
  // Never called again after that.
  virtual bool step() = 0;
  // In [0, 1].
  virtual double progress() const = 0;
  // What has been found so far. An unfinished task may give a partial record if `summarise` can
  // read it, or an empty one.
  virtual Record record() const = 0;
  // The step at which a number stopped being finite, if that happened; the task has then ended
  // and its record holds the finite part.
  virtual std::optional<std::int64_t> diverged_at() const { return std::nullopt; }
};

class Plan {
 public:
  virtual ~Plan() = default;
  virtual std::size_t task_count() const = 0;
  virtual std::unique_ptr<Task> task(std::size_t number) const = 0;
  // Relative cost of a task, for progress and for sharing out.
  virtual double cost(std::size_t number) const { return number < task_count() ? 1.0 : 0.0; }
  // All tables of the descriptor, in its order. records has task_count() entries; a task that has
  // not begun has an empty one. A pure function of the records.
  virtual Tables summarise(std::span<const Record> records) const = 0;
};

// Checks sizes and prepares what all tasks share. `values` are completed. Throws Error before any
// work when the values cannot be run together.
using Prepare = std::unique_ptr<Plan> (*)(const Values& values, std::uint64_t seed);

// Made at the first call and kept.
using Describe = const Descriptor& (*)();

struct Experiment {
  Identity identity;
  Describe descriptor = nullptr;
  Prepare prepare = nullptr;
};

struct RunResult {
  Tables tables;
  std::optional<std::int64_t> diverged_at;  // the smallest over the tasks
};

// Runs all tasks to their end on the calling thread.
RunResult run_to_end(const Experiment& experiment, const Values& given, std::uint64_t seed);

// A column of the result by name, for tests and for other experiments; throws kUnknownName.
const std::vector<double>& number_column(const Experiment& experiment, const Tables& tables,
                                         std::string_view table, std::string_view column);

// 64-bit FNV-1a over names, sizes and the bits of every number: two results are the same results
// when and only when their fingerprints agree.
std::uint64_t fingerprint(const Tables& tables);

}  // namespace attnlab::experiments
