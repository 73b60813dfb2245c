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
constexpr Index kPlayedAtOnce = 20;
constexpr Index kTrainingLength = 16;  // longest prompt of the training
constexpr Index kStages[] = {0, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
enum Purpose : std::uint64_t { kShown = 0x4e11, kPlayed, kTrained, kTested, kFirst };

struct Setting {
  Haystack haystack;
  std::string model;
  double snr = 0;
  Index length = 0;
  double sharpness = 1;
  Index prompts = 0;
  Index shown = 0;
  Index training_steps = 0;
  std::uint64_t seed = 0;

  needle::Problem problem(Index at_length) const {
    return needle_problem(model, snr, at_length, 0);
  }
};

// What one attention scores over many prompts: found, share of attention, squared error.
struct Tally {
  Moments found, share, error;
  void add(const Answer& reply) {
    found.add(reply.found ? 1.0 : 0.0);
    share.add(reply.share);
    error.add(reply.squared_error);
  }
  void write(Record& record) const {
    for (const Moments* m : {&found, &share, &error})
      record.insert(record.end(), {m->count, m->sum, m->squares});
  }
  static Tally read(const Record& record, std::size_t at) {
    Tally tally;
    for (Moments* m : {&tally.found, &tally.share, &tally.error}) {
      *m = {record[at], record[at + 1], record[at + 2]};
      at += 3;
    }
    return tally;
  }
};
constexpr std::size_t kTallyNumbers = 9;

// Many prompts of one length. Record: theory of both, then a tally of both.
class PlayTask final : public PiecewiseTask {
 public:
  PlayTask(std::shared_ptr<const Setting> setting, Index length)
      : setting_(std::move(setting)),
        problem_(setting_->problem(length)),
        random_(setting_->seed, stream_of({kPlayed, static_cast<std::uint64_t>(length)})) {}

  double progress() const override {
    return static_cast<double>(played_) / static_cast<double>(setting_->prompts);
  }
  Record record() const override {
    if (searchers_.size() < 2 || played_ == 0) return {};
    Record record = theory_;
    for (const Tally& tally : tallies_)
      tally.write(record);
    return record;
  }

 private:
  bool advance() override {
    if (searchers_.size() < 2) {
      const Kernel kernel = kKernels[searchers_.size()];
      searchers_.push_back(make_searcher(problem_, kernel, setting_->sharpness));
      const Searcher& searcher = searchers_.back();
      const needle::AttentionMoments moments =
          needle::MomentEvaluator(problem_, kernel).at({searcher.scale, 0, 0});
      theory_.push_back(moments.best_risk());
      return false;
    }
    const Haystack& haystack = setting_->haystack;
    for (Index i = 0; i < kPlayedAtOnce && played_ < setting_->prompts; ++i, ++played_) {
      const HaystackPrompt prompt = draw_prompt(haystack, problem_, random_);
      for (std::size_t k = 0; k < 2; ++k)
        tallies_[k].add(answer(haystack, prompt, searchers_[k].kernel,
                               searchers_[k].scale * haystack.teacher.key,
                               searchers_[k].output * haystack.teacher.value));
    }
    return played_ >= setting_->prompts;
  }

  std::shared_ptr<const Setting> setting_;
  needle::Problem problem_;
  RandomStream random_;
  std::vector<Searcher> searchers_;
  Record theory_;
  Tally tallies_[2];
  Index played_ = 0;
};

// Stochastic gradient descent from small random vectors, on fresh prompts; at every stage a test on
// prompts of its own. Record: for every finished stage a tally.
class TrainTask final : public PiecewiseTask {
 public:
  TrainTask(std::shared_ptr<const Setting> setting, Kernel kernel)
      : setting_(std::move(setting)),
        kernel_(kernel),
        problem_(setting_->problem(std::min(setting_->length, kTrainingLength))),
        random_(setting_->seed, stream_of({kTrained})) {
    RandomStream first(setting_->seed, stream_of({kFirst}));
    key_ = 0.1 * first.gaussian_vector(setting_->haystack.dimension);
    value_ = 0.1 * first.gaussian_vector(setting_->haystack.dimension);
  }

  double progress() const override {
    return static_cast<double>(step_) / static_cast<double>(setting_->training_steps);
  }
  Record record() const override { return record_; }
  std::optional<std::int64_t> diverged_at() const override {
    if (finite_) return std::nullopt;
    return step_;
  }

 private:
  static constexpr Index kBatch = 32;

  bool advance() override {
    if (step_ == kStages[stage_]) {
      test();
      ++stage_;
      return stage_ == std::size(kStages) || kStages[stage_] > setting_->training_steps;
    }
    const Haystack& haystack = setting_->haystack;
    Vector key_gradient = Vector::Zero(key_.size()), value_gradient = Vector::Zero(key_.size());
    double power = 0;
    for (Index n = 0; n < kBatch; ++n) {
      const HaystackPrompt prompt = draw_prompt(haystack, problem_, random_);
      const needle::PredictionGradient f =
          needle::predict_gradient(kernel_, prompt.tokens, key_, value_);
      const double miss = (f.prediction - prompt.label) / static_cast<double>(kBatch);
      key_gradient += miss * f.key;
      value_gradient += miss * f.value;
      power += (f.key.squaredNorm() + f.value.squaredNorm()) / static_cast<double>(kBatch);
    }
    // The curvature of the loss is about the mean of |df|^2 over D; it changes while the key grows.
    const double rate = 0.4 * static_cast<double>(haystack.dimension) / std::fmax(power, 1e-6) /
                        (1 + static_cast<double>(step_) / 500);
    key_ -= rate * key_gradient;
    value_ -= rate * value_gradient;
    ++step_;
    finite_ = key_.allFinite() && value_.allFinite();
    return !finite_;
  }

  void test() {
    RandomStream random(setting_->seed, stream_of({kTested}));
    Tally tally;
    for (Index n = 0; n < 300; ++n)
      tally.add(answer(setting_->haystack, draw_prompt(setting_->haystack, problem_, random),
                       kernel_, key_, value_));
    tally.write(record_);
  }

  std::shared_ptr<const Setting> setting_;
  Kernel kernel_;
  needle::Problem problem_;
  RandomStream random_;
  Vector key_, value_;
  Record record_;
  Index step_ = 0;
  std::size_t stage_ = 0;
  bool finite_ = true;
};

class HaystackPlan final : public Plan {
 public:
  HaystackPlan(const Values& values, std::uint64_t seed)
      : descriptor_(needle_haystack_descriptor()) {
    auto setting = std::make_shared<Setting>();
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
    if (number < lengths_.size()) return std::make_unique<PlayTask>(setting_, lengths_[number]);
    return std::make_unique<TrainTask>(setting_, kKernels[number - lengths_.size()]);
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
      const Tally softmax = Tally::read(records[i], 2);
      const Tally linear = Tally::read(records[i], 2 + kTallyNumbers);
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
    for (std::size_t stage = 0; stage < std::size(kStages); ++stage) {
      const std::size_t at = stage * kTallyNumbers;
      const bool has_s = s.size() >= at + kTallyNumbers, has_l = l.size() >= at + kTallyNumbers;
      if (!has_s && !has_l) break;
      const Tally softmax = has_s ? Tally::read(s, at) : Tally{};
      const Tally linear = has_l ? Tally::read(l, at) : Tally{};
      training.add({static_cast<double>(kStages[stage]), softmax.found.mean().value,
                    linear.found.mean().value, softmax.error.mean().value,
                    linear.error.mean().value});
    }
    TableRows summary(descriptor_, "summary");
    const bool played = !records[0].empty();
    const Tally softmax = played ? Tally::read(records[0], 2) : Tally{};
    const Tally linear = played ? Tally::read(records[0], 2 + kTallyNumbers) : Tally{};
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
    RandomStream random(setting_->seed, stream_of({kShown}));
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
  std::shared_ptr<const Setting> setting_;
  std::vector<Index> lengths_;
  HaystackPrompt prompt_;
  Answer shown_[2];
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<HaystackPlan>(values, seed);
}

const Registration kRegistration(needle_haystack_descriptor(), prepare);

}  // namespace
}  // namespace attnlab::experiments
