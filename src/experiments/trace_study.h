// How well a program is learned from how many traces of its runs, and what the per-prompt
// certificate says beforehand: what the experiments on automata and Turing machines share.
//
// Inputs are drawn without replacement from a numbered class; those to ask about are never among
// those to learn from. Within a replicate all sizes ask the same inputs.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "experiments/descriptor.h"
#include "experiments/moments.h"
#include "experiments/run.h"
#include "experiments/table_rows.h"
#include "mhla/trace.h"

namespace attnlab::experiments {

struct TraceStudy {
  Index dimension = 0;
  std::vector<Index> fields;  // as in the layouts
  std::uint64_t inputs = 0;   // in the class
  // The inputs' traces, from one function for each task: it may keep a SparseAttention.
  std::function<std::function<mhla::Trace(std::uint64_t number)>()> make_tracer;
  // Samples fall into parts that do not know each other (mhla/trace_learning.h): the sum of the
  // squares of their sizes, for one trace. Memory is 24 bytes times this times traces squared.
  double part_squares = 1;
  std::vector<Index> sizes;  // traces to learn from, ascending
  Index asked = 0;           // inputs to ask about
  Index replicates = 0;
  std::uint64_t seed = 0;
};

// Sizes sorted, each once; `asked` at most what the largest size leaves over. Throws kOutOfRange
// (traces) when nothing is left to ask about, kTooLarge (traces) above 1 GB.
void plan_study(TraceStudy& study, const std::vector<double>& sizes, Index asked);

// Replicates in turn, each with all sizes, so that a whole curve stands early.
inline std::size_t study_task_count(const TraceStudy& study) {
  return study.sizes.size() * static_cast<std::size_t>(study.replicates);
}
double study_task_cost(const TraceStudy& study, std::size_t number);
std::unique_ptr<Task> study_task(std::shared_ptr<const TraceStudy> study, std::size_t number);

// The number of input `which` of those asked about in replicate 0.
std::uint64_t asked_input(const TraceStudy& study, Index which);

// How one step of a trace came out.
enum class StepOutcome { kWrong = 0, kRightOpen = 1, kRightCertified = 2, kWrongCertified = 3 };

// One size over all replicates. Shares are means over replicates.
struct StudyPoint {
  Index traces = 0;
  Moments samples, rank;
  Moments certified;         // share of steps
  Moments certified_right;   // of the certified ones; replicates with some
  Moments open_right;        // of the others; replicates with some
  Moments right;             // of all
  Moments rolled_out;        // whole runs by the model's own outputs, exact
  double largest_error = 0;  // |output - truth| on certified steps
  double wrong_certified = 0;
  double least_open_residual = 1;
};
StudyPoint study_point(const TraceStudy& study, std::span<const Record> records, std::size_t size);

// "points", a row a size, and "curves", the same with a row a dot.
TableSpec study_points_table();
TableSpec study_curves_table();

// Fills the two tables. last: the largest size that has results. pictured: the size whose certified
// share is nearest to one half, among those that have a picture.
struct StudyRows {
  StudyPoint last;
  std::size_t pictured = 0;
};
StudyRows add_study(const TraceStudy& study, std::span<const Record> records, TableRows& points,
                    TableRows& curves);

// What replicate 0 has at this size, for pictures: outcomes of the single steps, and the runs
// rolled out by the model itself. Empty until there.
struct StudyPicture {
  std::vector<std::vector<StepOutcome>> outcomes;    // a row an input asked about
  std::vector<std::vector<mhla::SparseToken>> runs;  // tokens after the prompt
};
StudyPicture study_picture(const TraceStudy& study, std::span<const Record> records,
                           std::size_t size);

}  // namespace attnlab::experiments
