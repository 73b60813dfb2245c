// mhla.learn: gradient descent on heads beside the least-squares solver.
#include "experiments/mhla_learn.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "experiments/learn_tasks.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "mhla/fit_method.h"

namespace attnlab::experiments {
namespace {

constexpr Index kShown = 120;  // points of a curve

struct Curve {
  std::string name;
  Index heads = 0;  // 0: another model
  std::shared_ptr<const mhla::SequenceModel> model;
  Index epochs = 0;
};

class LearnPlan final : public Plan {
 public:
  LearnPlan(const Values& values, std::uint64_t seed)
      : replicates_(count(values, "replicates")), shared_(make_learn_data()) {
    auto setting = std::make_shared<LearnSetting>();
    setting->d = count(values, "dimension");
    setting->sequences = count(values, "sequences");
    setting->length = count(values, "length");
    setting->scale = mhla::scale_reading(text(values, "scale"));
    setting->seed = seed;
    draw_truth(*setting);
    setting->training.adamw.rate = number(values, "rate");
    setting->training.adamw.weight_decay = number(values, "weightDecay");
    setting->training.epochs = count(values, "epochs");
    setting->training.batch = count(values, "batch");
    setting->other.adamw = setting->training.adamw;
    setting->other.epochs = count(values, "otherEpochs");
    setting->other.batch = setting->training.batch;
    for (const double heads : numbers(values, "heads")) {
      if (heads != std::floor(heads))
        fail(ErrorCode::kNotInteger, "heads", "has the entry " + show(heads));
      curves_.push_back({show(heads) + (heads == 1 ? " head" : " heads"), static_cast<Index>(heads),
                         nullptr, setting->training.epochs});
    }
    const std::string& others = text(values, "others");
    if (others == "layers" || others == "both")
      curves_.push_back({"2 layers, 4 heads each", 0, mhla::linear_stack(2, 4, setting->d, 1),
                         setting->other.epochs});
    if (others == "transformer" || others == "both")
      curves_.push_back({"softmax transformer, 1 layer", 0,
                         mhla::small_transformer(1, 1, 16, setting->d, 1), setting->other.epochs});
    setting_ = std::move(setting);
  }

  // The solver, then every curve's first run, then the second ones, ...
  std::size_t task_count() const override {
    return 1 + curves_.size() * static_cast<std::size_t>(replicates_);
  }
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number == 0) return solver_task(setting_);
    const Curve& curve = curves_[(number - 1) % curves_.size()];
    const std::uint64_t replicate = (number - 1) / curves_.size();
    if (curve.heads > 0) return head_task(setting_, shared_, curve.heads, replicate);
    return sequence_task(setting_, curve.model, replicate);
  }
  double cost(std::size_t number) const override {
    if (number == 0) return 1;
    return curves_[(number - 1) % curves_.size()].model ? 10 : 1;
  }

  Tables summarise(std::span<const Record> records) const override {
    const Descriptor& descriptor = mhla_learn_descriptor();
    TableRows curves(descriptor, "curves"), solver(descriptor, "solver"),
        final(descriptor, "final"), summary(descriptor, "summary");
    double best = std::numeric_limits<double>::quiet_NaN(), worst = best;
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      add_curve(curves, c, records);
      for (std::size_t r = 0; r < static_cast<std::size_t>(replicates_); ++r) {
        const Record& losses = records[1 + r * curves_.size() + c];
        if (losses.empty()) continue;
        final.add({curves_[c].name, static_cast<double>(r + 1), losses.back(),
                   static_cast<double>(losses.size() - 1)});
        best = std::fmin(best, losses.back());
        worst = std::fmax(worst, losses.back());
      }
    }
    const Record& found = records[0];
    if (found.size() == kSolverFields) {
      const auto last = static_cast<double>(setting_->training.epochs);
      solver.add({0.0, found[kTraining], found[kHeldOut]});
      solver.add({last, found[kTraining], found[kHeldOut]});
      summary.add({found[kTraining], found[kHeldOut], found[kVariance], found[kHeadCount], best,
                   worst, found[kSmallest],
                   std::string(mhla::fit_method_name(
                       static_cast<mhla::FitMethod>(static_cast<int>(found[kMethod]))))});
    }
    return {curves.take(), solver.take(), final.take(), summary.take()};
  }

 private:
  void add_curve(TableRows& curves, std::size_t c, std::span<const Record> records) const {
    const Index stride = std::max<Index>(1, (curves_[c].epochs + kShown - 1) / kShown);
    for (Index epoch = 0; epoch <= curves_[c].epochs; epoch += stride) {
      std::vector<double> losses;
      for (std::size_t r = 0; r < static_cast<std::size_t>(replicates_); ++r) {
        const Record& record = records[1 + r * curves_.size() + c];
        if (static_cast<Index>(record.size()) > epoch)
          losses.push_back(record[static_cast<std::size_t>(epoch)]);
      }
      if (losses.empty()) return;
      std::sort(losses.begin(), losses.end());
      curves.add({curves_[c].name, static_cast<double>(epoch), losses[losses.size() / 2],
                  losses.front(), losses.back(), static_cast<double>(losses.size())});
    }
  }

  Index replicates_;
  std::shared_ptr<const LearnSetting> setting_;
  std::shared_ptr<LearnData> shared_;
  std::vector<Curve> curves_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<LearnPlan>(values, seed);
}

const Registration kRegistration(kMhlaLearn, mhla_learn_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
