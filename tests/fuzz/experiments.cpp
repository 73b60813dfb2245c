// Experiments with drawn parameters: refused by name, or their tasks step without a fault and their
// tables are those of the descriptor, however far they got.
#include <algorithm>
#include <memory>
#include <vector>

#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "target.h"
#include "values.h"

namespace attnlab::fuzz {
namespace {

using namespace attnlab::experiments;

Values draw_values(Input& input, const Descriptor& descriptor) {
  Values values = descriptor.presets[input.byte() % descriptor.presets.size()].values;
  for (const auto& parameter : descriptor.parameters)
    if (input.byte() >= 40) values[parameter.name] = draw_value(input, parameter);
  return values;
}

void check_tables(const Descriptor& descriptor, const Tables& tables) {
  expect(tables.size() == descriptor.tables.size(), descriptor.id + ": number of tables");
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const auto& spec = descriptor.tables[t];
    const auto& columns = tables[t].columns;
    expect(tables[t].name == spec.name && columns.size() == spec.columns.size(),
           descriptor.id + ": table " + spec.name);
    std::size_t rows = 0;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool text = spec.columns[c].type == ColumnType::kText;
      const std::size_t size = text ? columns[c].texts.size() : columns[c].numbers.size();
      if (c == 0) rows = size;
      expect(size == rows, descriptor.id + ": length of " + spec.columns[c].name);
    }
  }
}

// Some steps of a task, twice: the same record comes out.
Record run_task(Input& input, const Plan& plan, std::size_t number) {
  const auto task = plan.task(number);
  const auto twin = plan.task(number);
  double progress = 0;
  for (Index left = input.count(1, 12); left > 0; --left) {
    const bool ended = task->step();
    expect(twin->step() == ended, "a task ends at another step");
    expect(task->progress() >= progress - 1e-12 && task->progress() <= 1, "progress falls");
    progress = task->progress();
    if (ended) break;
  }
  const Record record = task->record();
  const Record again = twin->record();
  expect(std::equal(record.begin(), record.end(), again.begin(), again.end(),
                    [](double a, double b) { return a == b || (a != a && b != b); }),
         "a task does not repeat itself");
  return record;
}

void run(Input& input) {
  const auto& all = all_experiments();
  const Experiment& experiment = all[input.byte() % all.size()];
  const std::uint64_t seed = input.byte();
  accepted([&] {
    const auto values =
        complete(experiment.descriptor(), draw_values(input, experiment.descriptor()));
    const auto plan = experiment.prepare(values, seed);
    std::vector<Record> records(plan->task_count());
    check_tables(experiment.descriptor(), plan->summarise(records));
    for (Index left = input.count(1, 3); left > 0 && !records.empty(); --left) {
      const std::size_t number = input.word() % records.size();
      expect(plan->cost(number) >= 0, "a cost below 0");
      records[number] = run_task(input, *plan, number);
    }
    check_tables(experiment.descriptor(), plan->summarise(records));
  });
}

const Target kTarget("experiments", run);

}  // namespace
}  // namespace attnlab::fuzz
