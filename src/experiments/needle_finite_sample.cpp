// needle.finite-sample: what N = alpha D prompts teach, by state evolution and by training.
#include "experiments/needle_finite_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/error.h"
#include "experiments/moments.h"
#include "experiments/needle_setup.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "needle/bayes_evolution.h"
#include "needle/erm_simulation.h"
#include "needle/state_evolution.h"

namespace attnlab::experiments {
namespace {

using needle::Kernel;
using needle::Verdict;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Kernel kKernels[] = {Kernel::kSoftmax, Kernel::kLinear};

// The streams of one cell together.
struct Cell {
  bool begun = false;
  Verdict verdict = Verdict::kConverged;
  Moments risk, train, key, value, replicon;
};

class SamplePlan final : public Plan {
 public:
  SamplePlan(const Values& values, std::uint64_t seed)
      : descriptor_(needle_finite_sample_descriptor()) {
    auto sample = std::make_shared<FiniteSample>();
    sample->problem = needle_problem(text(values, "model"), number(values, "snr"),
                                     count(values, "length"), number(values, "noise"));
    sample->ratios = numbers(values, "ratios");
    std::sort(sample->ratios.begin(), sample->ratios.end());
    sample->ridge_keys = number(values, "ridgeKeys");
    sample->ridge_values = number(values, "ridgeValues");
    sample->theory_samples = count(values, "theorySamples");
    sample->theory_streams = count(values, "theoryStreams");
    sample->replicates = count(values, "replicates");
    sample->start =
        text(values, "start") == "informed" ? needle::Start::kInformed : needle::Start::kUninformed;
    sample->simulation.dimension = count(values, "dimension");
    sample->simulation.start = sample->start;
    sample->simulation.trainer = text(values, "trainer") == "lbfgs"
                                     ? needle::Trainer::kLbfgs
                                     : needle::Trainer::kGradientDescent;
    sample->simulation.risk_samples = 10000;
    sample->seed = seed;
    // Every data set must fit before any work begins.
    for (const double ratio : sample->ratios)
      for (const Kernel kernel : kKernels)
        needle::ErmSimulation(sample->erm(ratio, kernel), sample->simulation, seed, 0);
    bayes_known_ = text(values, "model") != "max";
    bayes_risk_ = needle::bayes_risk(sample->problem).risk;
    sample_ = std::move(sample);
    list_pieces();
  }

  std::size_t task_count() const override { return pieces_.size(); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return finite_sample_task(sample_, pieces_[number]);
  }
  double cost(std::size_t number) const override {
    const Piece& piece = pieces_[number];
    const auto length = static_cast<double>(sample_->problem.lengths.minimum);
    const auto fields = static_cast<double>(sample_->theory_samples);
    // Milliseconds, roughly.
    if (piece.part == Part::kTheorySoftmax) return 0.02 * fields;
    if (piece.part == Part::kTheoryLinear) return 0.008 * fields;
    if (piece.part == Part::kBayesOptimal)
      return (sample_->problem.model == needle::Model::kMax ? 0.03 : 0.003) * fields;
    const auto d = static_cast<double>(sample_->simulation.dimension);
    return 20 + 1.5e-4 * sample_->ratios[piece.place] * d * d * length;
  }

  Tables summarise(std::span<const Record> records) const override {
    const std::size_t places = sample_->ratios.size();
    std::vector<Cell> theory[2] = {std::vector<Cell>(places), std::vector<Cell>(places)};
    std::vector<Cell> trained[2] = {std::vector<Cell>(places), std::vector<Cell>(places)};
    std::vector<Cell> bayes(places);
    for (std::size_t i = 0; i < records.size(); ++i)
      if (!records[i].empty()) add(pieces_[i], records[i], theory, trained, bayes);
    NumberRows points(descriptor_, "points");
    TableRows cells(descriptor_, "cells");
    TableRows failures(descriptor_, "failures");
    double largest = 1;
    for (std::size_t p = 0; p < places; ++p)
      for (std::size_t k = 0; k < 2; ++k)
        if (trained[k][p].begun) largest = std::max(largest, trained[k][p].risk.mean().value);
    for (std::size_t p = 0; p < places; ++p) {
      const double ratio = sample_->ratios[p];
      std::vector<double> row = {ratio};
      for (std::size_t k = 0; k < 2; ++k) {
        Cell& cell = theory[k][p];
        if (cell.begun && cell.verdict == Verdict::kConverged &&
            cell.replicon.mean().value > needle::kLargestReplicon)
          cell.verdict = Verdict::kUnstable;
        const bool good = cell.begun && cell.verdict == Verdict::kConverged;
        const auto of = [good](const Moments& m) { return good ? m.mean() : Estimate{kNaN, kNaN}; };
        const Cell& seen = trained[k][p];
        for (const auto quantity : {&Cell::risk, &Cell::train, &Cell::key, &Cell::value}) {
          const Estimate said = of(cell.*quantity);
          const Estimate played = (seen.*quantity).mean();
          row.insert(row.end(), {said.value, said.error, played.value, played.error});
        }
        const std::string kernel(needle::kernel_name(kKernels[k]));
        if (cell.begun)
          cells.add({kernel, ratio, std::string(needle::verdict_name(cell.verdict)),
                     of(cell.risk).value, of(cell.risk).error, cell.replicon.mean().value,
                     of(cell.key).value, of(cell.value).value});
        if (cell.begun && !good) {
          const std::string name = kernel + ", α = " + show(ratio);
          for (const double edge : {ratio * 0.93, ratio * 1.07})
            failures.add(
                {name, edge, 0.0, largest, std::string(needle::verdict_name(cell.verdict))});
        }
      }
      const Estimate best = bayes[p].begun && bayes[p].verdict == Verdict::kConverged
                                ? bayes[p].risk.mean()
                                : Estimate{kNaN, kNaN};
      row.insert(row.end(), {best.value, best.error, bayes_risk_});
      points.add(row);
    }
    NumberRows summary(descriptor_, "summary");
    const std::size_t last = places - 1;
    const auto said = [&](std::size_t k) {
      const Cell& cell = theory[k][last];
      return cell.begun && cell.verdict == Verdict::kConverged ? cell.risk.mean().value : kNaN;
    };
    summary.add({sample_->ratios[last], said(0), said(1), trained[0][last].risk.mean().value,
                 trained[1][last].risk.mean().value,
                 bayes[last].begun ? bayes[last].risk.mean().value : kNaN, bayes_risk_});
    return {points.take(), cells.take(), failures.take(), summary.take()};
  }

 private:
  // Round by round, so that a whole figure stands early: first one stream and one data set of every
  // cell, then the rest.
  void list_pieces() {
    const Index rounds = std::max(sample_->theory_streams, sample_->replicates);
    for (Index round = 0; round < rounds; ++round)
      for (std::size_t place = 0; place < sample_->ratios.size(); ++place) {
        if (round < sample_->theory_streams) {
          pieces_.push_back({Part::kTheorySoftmax, place, round});
          pieces_.push_back({Part::kTheoryLinear, place, round});
        }
        if (round < 2 && bayes_known_) pieces_.push_back({Part::kBayesOptimal, place, round});
        if (round < sample_->replicates) {
          pieces_.push_back({Part::kTrainSoftmax, place, round});
          pieces_.push_back({Part::kTrainLinear, place, round});
        }
      }
  }

  static void add(const Piece& piece, const Record& record, std::vector<Cell>* theory,
                  std::vector<Cell>* trained, std::vector<Cell>& bayes) {
    if (piece.part == Part::kTheorySoftmax || piece.part == Part::kTheoryLinear) {
      Cell& cell = theory[piece.part == Part::kTheoryLinear ? 1 : 0][piece.place];
      cell.begun = true;
      const auto verdict = static_cast<Verdict>(static_cast<int>(record[0]));
      cell.replicon.add(record[2]);
      if (verdict != Verdict::kConverged) {
        cell.verdict = verdict;
        return;
      }
      cell.risk.add(record[1]);
      cell.train.add(record[4]);
      cell.key.add(record[5]);
      cell.value.add(record[8]);
    } else if (piece.part == Part::kBayesOptimal) {
      Cell& cell = bayes[piece.place];
      cell.begun = true;
      const auto verdict = static_cast<Verdict>(static_cast<int>(record[0]));
      if (verdict != Verdict::kConverged) cell.verdict = verdict;
      cell.risk.add(record[1]);
    } else {
      Cell& cell = trained[piece.part == Part::kTrainLinear ? 1 : 0][piece.place];
      cell.begun = true;
      cell.risk.add(record[0]);
      cell.train.add(record[1]);
      cell.key.add(record[2]);
      cell.value.add(record[3]);
    }
  }

  const Descriptor& descriptor_;
  std::shared_ptr<const FiniteSample> sample_;
  std::vector<Piece> pieces_;
  bool bayes_known_ = true;
  double bayes_risk_ = 0;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<SamplePlan>(values, seed);
}

const Registration kRegistration(kNeedleFiniteSample, needle_finite_sample_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
