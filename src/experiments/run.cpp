#include "experiments/run.h"

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "experiments/parameters.h"

namespace attnlab::experiments {

RunResult run_to_end(const Experiment& experiment, const Values& given, std::uint64_t seed) {
  const auto plan = experiment.prepare(complete(experiment.descriptor(), given), seed);
  std::vector<Record> records(plan->task_count());
  RunResult result;
  for (std::size_t number = 0; number < records.size(); ++number) {
    const auto task = plan->task(number);
    while (!task->step()) {
    }
    records[number] = task->record();
    if (const auto step = task->diverged_at())
      result.diverged_at = std::min(step.value(), result.diverged_at.value_or(step.value()));
  }
  result.tables = plan->summarise(records);
  return result;
}

const std::vector<double>& number_column(const Experiment& experiment, const Tables& tables,
                                         std::string_view table, std::string_view column) {
  const auto& specs = experiment.descriptor().tables;
  for (std::size_t t = 0; t < specs.size() && t < tables.size(); ++t) {
    if (specs[t].name != table) continue;
    for (std::size_t c = 0; c < specs[t].columns.size(); ++c)
      if (specs[t].columns[c].name == column) return tables[t].columns.at(c).numbers;
  }
  fail(ErrorCode::kUnknownName, "column",
       "no column \"" + std::string(column) + "\" in table \"" + std::string(table) + "\"");
}

namespace {

class Fnv1a {
 public:
  void add(std::uint64_t word) {
    for (int byte = 0; byte < 8; ++byte)
      add_byte(static_cast<unsigned char>(word >> (8 * byte)));
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char letter : text)
      add_byte(static_cast<unsigned char>(letter));
  }
  std::uint64_t value() const { return hash_; }

 private:
  void add_byte(unsigned char byte) {
    hash_ ^= byte;
    hash_ *= 0x100000001b3ULL;
  }
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::uint64_t fingerprint(const Tables& tables) {
  Fnv1a hash;
  for (const auto& table : tables) {
    hash.add(table.name);
    for (const auto& column : table.columns) {
      hash.add(column.numbers.size());
      // All NaNs count as one: their payload differs between engines.
      for (const double number : column.numbers)
        hash.add(number != number ? 0x7ff8000000000000ULL : std::bit_cast<std::uint64_t>(number));
      hash.add(column.texts.size());
      for (const auto& text : column.texts)
        hash.add(text);
    }
  }
  return hash.value();
}

}  // namespace attnlab::experiments
