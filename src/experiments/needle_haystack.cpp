// needle.haystack: a prompt with one token that matters, and who finds it.
#include "experiments/needle_haystack.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "experiments/moments.h"
#include "experiments/needle_setup.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"

namespace attnlab::experiments {
namespace {

using needle::Kernel;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Kernel kKernels[] = {Kernel::kSoftmax, Kernel::kLinear};
constexpr Index kLengths[] = {2, 4, 8, 16, 32, 64};
constexpr std::uint64_t kShownStream = 0x4e11;

class HaystackPlan final : public Plan {
 public:
  HaystackPlan(const Values& values, std::uint64_t seed)
      : descriptor_(needle_haystack_descriptor()) {
    auto setting = std::make_shared<HaystackGame>();
    setting->haystack = make_haystack(values, seed);
    setting->model = text(values, "model");
    setting->snr = number(values, "snr");
    setting->length = count(values, "length");
    setting->sharpness = number(values, "sharpness");
    setting->prompts = count(values, "prompts");
    setting->shown = count(values, "shown");
    setting->training_steps = count(values, "trainingSteps");
    setting->seed = seed;
    setting_ = std::move(setting);
    lengths_.push_back(setting_->length);
    for (const Index length : kLengths)
      if (length != setting_->length) lengths_.push_back(length);
    show_prompt();
  }

  // The length on show first, then the others, then both trainings.
  std::size_t task_count() const override { return lengths_.size() + 2; }
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number < lengths_.size()) return play_task(setting_, lengths_[number]);
    return search_training_task(setting_, kKernels[number - lengths_.size()]);
  }
  double cost(std::size_t number) const override {
    if (number < lengths_.size()) return static_cast<double>(lengths_[number] * setting_->prompts);
    return 96.0 * static_cast<double>(setting_->training_steps) *
           static_cast<double>(std::min(setting_->length, kTrainingLength));
  }

  Tables summarise(std::span<const Record> records) const override {
    TableRows weights(descriptor_, "weights");
    for (Index l = 0; l < setting_->length; ++l) {
      const bool here = l == prompt_.needle;
      weights.add({static_cast<double>(l + 1), name_of(l), shown_[0].attention[l],
                   shown_[1].attention[l], here ? 1.0 : 0.0});
    }
    TableRows needle_row(descriptor_, "needle");
    needle_row.add({static_cast<double>(prompt_.needle + 1), 1.0, name_of(prompt_.needle)});

    TableRows lengths(descriptor_, "lengths");
    std::vector<std::size_t> order(lengths_.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(),
              [this](std::size_t a, std::size_t b) { return lengths_[a] < lengths_[b]; });
    for (const std::size_t i : order) {
      if (records[i].empty()) continue;
      const SearchTally softmax = SearchTally::read(records[i], 2);
      const SearchTally linear = SearchTally::read(records[i], 2 + kSearchTallyNumbers);
      const auto [sf, sfe] = softmax.found.mean();
      const auto [lf, lfe] = linear.found.mean();
      const auto [sr, sre] = softmax.error.mean();
      const auto [lr, lre] = linear.error.mean();
      const bool synthetic = setting_->haystack.rows.rows() == 0;
      lengths.add({static_cast<double>(lengths_[i]), sf, sfe, lf, lfe, sr, sre, lr, lre,
                   synthetic ? records[i][0] : kNaN, synthetic ? records[i][1] : kNaN});
    }
    TableRows training(descriptor_, "training");
    const Record& s = records[lengths_.size()];
    const Record& l = records[lengths_.size() + 1];
    for (std::size_t stage = 0; stage < std::size(kTrainingStages); ++stage) {
      const std::size_t at = stage * kSearchTallyNumbers;
      const bool has_s = s.size() >= at + kSearchTallyNumbers,
                 has_l = l.size() >= at + kSearchTallyNumbers;
      if (!has_s && !has_l) break;
      const SearchTally softmax = has_s ? SearchTally::read(s, at) : SearchTally{};
      const SearchTally linear = has_l ? SearchTally::read(l, at) : SearchTally{};
      training.add({static_cast<double>(kTrainingStages[stage]), softmax.found.mean().value,
                    linear.found.mean().value, softmax.error.mean().value,
                    linear.error.mean().value});
    }
    TableRows summary(descriptor_, "summary");
    const bool played = !records[0].empty();
    const SearchTally softmax = played ? SearchTally::read(records[0], 2) : SearchTally{};
    const SearchTally linear =
        played ? SearchTally::read(records[0], 2 + kSearchTallyNumbers) : SearchTally{};
    const auto percent = [](const Moments& m) { return std::round(1000 * m.mean().value) / 10; };
    const auto share = [](const Answer& reply) { return std::round(1000 * reply.share) / 10; };
    summary.add({static_cast<double>(prompt_.needle + 1), name_of(prompt_.needle), share(shown_[0]),
                 share(shown_[1]), percent(softmax.found), percent(linear.found),
                 softmax.error.mean().value, linear.error.mean().value, softmax.found.count});
    return {weights.take(), needle_row.take(), lengths.take(), training.take(), summary.take()};
  }

 private:
  void show_prompt() {
    const needle::Problem problem = setting_->problem(setting_->length);
    RandomStream random(setting_->seed, stream_of({kShownStream}));
    for (Index i = 0; i < setting_->shown; ++i)
      prompt_ = draw_prompt(setting_->haystack, problem, random);
    const Haystack& haystack = setting_->haystack;
    for (std::size_t k = 0; k < 2; ++k) {
      const Searcher searcher = make_searcher(problem, kKernels[k], setting_->sharpness);
      shown_[k] = answer(haystack, prompt_, searcher.kernel, searcher.scale * haystack.teacher.key,
                         searcher.output * haystack.teacher.value);
    }
  }
  std::string name_of(Index l) const {
    if (prompt_.rows.empty() || setting_->haystack.names.empty())
      return "token " + std::to_string(l + 1);
    return setting_->haystack
        .names[static_cast<std::size_t>(prompt_.rows[static_cast<std::size_t>(l)])];
  }

  const Descriptor& descriptor_;
  std::shared_ptr<const HaystackGame> setting_;
  std::vector<Index> lengths_;
  HaystackPrompt prompt_;
  Answer shown_[2];
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<HaystackPlan>(values, seed);
}

const Registration kRegistration(kNeedleHaystack, needle_haystack_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
