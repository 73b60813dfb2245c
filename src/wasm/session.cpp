// Runs for JavaScript. A session is a prepared plan, the task at work, and the records known so
// far; JavaScript holds its number. Numbers are never used twice, so a late call with an old one
// is an error and cannot touch another session.
#include <emscripten/bind.h>
#include <emscripten/emscripten.h>

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "wasm/boundary.h"
#include "wasm/values.h"

namespace attnlab::wasm {
namespace {

struct Session {
  const experiments::Experiment* experiment = nullptr;
  std::unique_ptr<experiments::Plan> plan;
  std::vector<experiments::Record> records;
  std::unique_ptr<experiments::Task> task;
};

std::map<int, Session>& sessions() {
  static std::map<int, Session> all;
  return all;
}

Session& find_session(int number) {
  const auto place = sessions().find(number);
  if (place == sessions().end()) fail(ErrorCode::kInternal, "session", "is not open");
  return place->second;
}

std::size_t task_index(const Session& session, double number) {
  if (!(number >= 0 && number < static_cast<double>(session.records.size())))
    fail(ErrorCode::kInternal, "task", "has no number " + show(number));
  return static_cast<std::size_t>(number);
}

experiments::Task& current_task(const Session& session) {
  if (!session.task) fail(ErrorCode::kInternal, "task", "has not begun");
  return *session.task;
}

// The tables must be what the descriptor promises, since names are put to them by position.
void require_tables_fit(const experiments::Descriptor& descriptor,
                        const experiments::Tables& tables) {
  if (tables.size() != descriptor.tables.size())
    fail(ErrorCode::kInternal, "tables", "are not as many as " + descriptor.id + " describes");
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const auto& columns = descriptor.tables[t].columns;
    if (tables[t].name != descriptor.tables[t].name || tables[t].columns.size() != columns.size())
      fail(ErrorCode::kInternal, descriptor.tables[t].name, "is not the table it describes");
    std::optional<std::size_t> rows;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const bool is_text = columns[c].type == experiments::ColumnType::kText;
      const auto& column = tables[t].columns[c];
      const std::size_t size = is_text ? column.texts.size() : column.numbers.size();
      if (rows.value_or(size) != size)
        fail(ErrorCode::kInternal, columns[c].name, "is not as long as its table");
      rows = size;
    }
  }
}

// [[column, ...], ...], a column being a Float64Array or an array of strings.
val write_tables(const experiments::Descriptor& descriptor, const experiments::Tables& tables) {
  require_tables_fit(descriptor, tables);
  val result = val::array();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    val columns = val::array();
    for (std::size_t c = 0; c < tables[t].columns.size(); ++c) {
      const auto& column = tables[t].columns[c];
      const bool is_text = descriptor.tables[t].columns[c].type == experiments::ColumnType::kText;
      columns.call<void>("push",
                         is_text ? write_texts(column.texts) : write_numbers(column.numbers));
    }
    result.call<void>("push", columns);
  }
  return result;
}

// Throws what a run with these values would throw before it prepares anything.
val check(const std::string& id, const val& entries) {
  return guarded([&] {
    experiments::complete(experiments::find_experiment(id).descriptor(), read_values(entries));
    return val(true);
  });
}

val open(const std::string& id, const val& entries, const std::string& seed) {
  return guarded([&] {
    Session session;
    session.experiment = &experiments::find_experiment(id);
    session.plan = session.experiment->prepare(
        experiments::complete(session.experiment->descriptor(), read_values(entries)),
        parse_seed(seed));
    session.records.resize(session.plan->task_count());
    std::vector<double> costs;
    for (std::size_t i = 0; i < session.records.size(); ++i)
      costs.push_back(session.plan->cost(i));
    static int last_number = 0;
    const int number = ++last_number;
    sessions().emplace(number, std::move(session));
    val result = val::object();
    result.set("session", number);
    result.set("costs", write_numbers(costs));
    return result;
  });
}

val begin(int number, double task) {
  return guarded([&] {
    Session& session = find_session(number);
    session.task = session.plan->task(task_index(session, task));
    return val(true);
  });
}

// Steps the task until it ends or about `milliseconds` have gone by; at least one step.
val advance(int number, double milliseconds) {
  return guarded([&] {
    experiments::Task& task = current_task(find_session(number));
    const double stop = emscripten_get_now() + milliseconds;
    bool ended = task.step();
    while (!ended && emscripten_get_now() < stop)
      ended = task.step();
    val result = val::object();
    result.set("ended", ended);
    result.set("progress", ended ? 1.0 : task.progress());
    if (const auto step = task.diverged_at()) result.set("divergedAt", static_cast<double>(*step));
    return result;
  });
}

// What the task at work has found so far.
val record(int number) {
  return guarded([&] { return write_numbers(current_task(find_session(number)).record()); });
}

val put_record(int number, double task, const val& numbers) {
  return guarded([&] {
    Session& session = find_session(number);
    session.records[task_index(session, task)] = read_numbers(numbers);
    return val(true);
  });
}

val summarise(int number) {
  return guarded([&] {
    const Session& session = find_session(number);
    return write_tables(session.experiment->descriptor(), session.plan->summarise(session.records));
  });
}

val close(int number) {
  return guarded([&] {
    sessions().erase(number);
    return val(true);
  });
}

val open_session_count() {
  return guarded([] { return val(static_cast<double>(sessions().size())); });
}

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_session) {
  emscripten::function("checkValues", &check);
  emscripten::function("sessionOpen", &open);
  emscripten::function("sessionBegin", &begin);
  emscripten::function("sessionAdvance", &advance);
  emscripten::function("sessionRecord", &record);
  emscripten::function("sessionPutRecord", &put_record);
  emscripten::function("sessionSummarise", &summarise);
  emscripten::function("sessionClose", &close);
  emscripten::function("sessionCount", &open_session_count);
}

}  // namespace attnlab::wasm
