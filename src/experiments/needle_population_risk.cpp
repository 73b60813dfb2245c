// needle.population-risk: the risks of the predictors at their best parameters, in theory and
// played.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/error.h"
#include "experiments/moments.h"
#include "experiments/needle_population_risk.h"
#include "experiments/needle_setup.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "needle/population_risk.h"
#include "needle/sampler.h"

namespace attnlab::experiments {
namespace {

using needle::Kernel;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kPlayedStream = 0x4e21;
constexpr double kNumbersPerStep = 2e4;  // Gaussian numbers

// One place on the axis.
struct Place {
  double x = 0;
  needle::Problem problem;
  bool played = false;
};

struct RiskSetting {
  std::vector<Place> places;
  Index dimension = 0;
  Index prompts = 0;
  double largest_scale = kInfinity;
  std::uint64_t seed = 0;
};

constexpr std::size_t kKernelCount = std::size(kRiskKernels);
constexpr std::size_t kTheoryNumbers = 2;  // risk, scale

// Record: Bayes risk; for every kernel risk and scale; then for every kernel a sum over the
// prompts.
class PlaceTask final : public PiecewiseTask {
 public:
  PlaceTask(std::shared_ptr<const RiskSetting> setting, std::size_t number)
      : setting_(std::move(setting)),
        place_(setting_->places[number]),
        random_(setting_->seed, stream_of({kPlayedStream, number})) {}

  double progress() const override {
    if (ended()) return 1;
    const double theory = static_cast<double>(found_.size()) / kKernelCount;
    if (!place_.played) return theory;
    return 0.5 * theory +
           0.5 * static_cast<double>(played_) / static_cast<double>(setting_->prompts);
  }
  Record record() const override {
    if (found_.size() < kKernelCount) return {};
    Record record = {bayes_};
    for (const auto& optimum : found_)
      record.insert(record.end(), {optimum.risk, optimum.scale});
    for (const Moments& m : errors_)
      record.insert(record.end(), {m.count, m.sum, m.squares});
    return record;
  }

 private:
  bool advance() override {
    if (found_.size() == kKernelCount) return play();
    if (!search_) {
      if (found_.empty()) bayes_ = needle::bayes_risk(place_.problem).risk;
      const Kernel kernel = kRiskKernels[found_.size()].kernel;
      search_.emplace(place_.problem, kernel,
                      kernel == Kernel::kSoftmax ? setting_->largest_scale : kInfinity);
    }
    if (!search_->step()) return false;
    found_.push_back(search_->result());
    search_.reset();
    if (found_.size() < kKernelCount) return false;
    if (!place_.played) return true;
    teacher_ = needle::draw_teacher(setting_->dimension, random_);
    return false;
  }

  // The predictors at their best parameters on drawn prompts, all on the same ones.
  bool play() {
    const Index dimension = setting_->dimension;
    const Index room = place_.problem.lengths.maximum;
    const double scale = 1 / std::sqrt(static_cast<double>(dimension));
    Matrix tokens(room, dimension);
    Vector scores(room), teacher_scores(room), weights(room), outputs(room);
    double numbers_left = kNumbersPerStep;
    for (; played_ < setting_->prompts && numbers_left > 0; ++played_) {
      const needle::Sample sample =
          needle::draw_sample(place_.problem, teacher_, random_, tokens.data(), scores.data());
      const Index length = sample.length;
      numbers_left -= static_cast<double>(length * dimension);
      teacher_scores.head(length) = tokens.topRows(length) * teacher_.key * scale;
      outputs.head(length) = tokens.topRows(length) * teacher_.value * scale;
      for (std::size_t k = 0; k < kKernelCount; ++k) {
        const needle::OptimalRisk& best = found_[k];
        const Kernel kernel = kRiskKernels[k].kernel;
        // An infinite scale stands for its limit; 1e3 is that to the accuracy of the play.
        scores.head(length) = std::min(best.scale, 1e3) * teacher_scores.head(length);
        needle::attend(kernel, best.bias, scores.data(), length, weights.data());
        const double miss =
            sample.label - best.output * weights.head(length).dot(outputs.head(length));
        errors_[k].add(miss * miss);
      }
    }
    return played_ >= setting_->prompts;
  }

  std::shared_ptr<const RiskSetting> setting_;
  const Place& place_;
  RandomStream random_;
  needle::Teacher teacher_;
  std::optional<needle::OptimalRiskSearch> search_;
  std::vector<needle::OptimalRisk> found_;
  double bayes_ = 0;
  Moments errors_[kKernelCount];
  Index played_ = 0;
};

std::vector<Place> make_places(const Values& values) {
  const std::string& model = text(values, "model");
  const bool random_length = flag(values, "randomLength");
  const auto problem = [&](double snr, Index length) {
    needle::Problem made = needle_problem(model, snr, length, 0);
    // Uniform on 1 ... 2 L - 1: the mean stays L.
    if (random_length) made.lengths = {1, 2 * length - 1};
    return made;
  };
  std::vector<Place> places;
  if (text(values, "sweep") == "length") {
    for (const double entry : numbers(values, "lengths")) {
      if (entry != std::floor(entry))
        fail(ErrorCode::kNotInteger, "lengths", "whole numbers are expected");
      places.push_back({entry, problem(number(values, "snr"), static_cast<Index>(entry)), true});
    }
  } else {
    if (model == "argmax")
      fail(ErrorCode::kDomain, "sweep",
           "with the needle at the largest score ν is infinite; sweep the length");
    std::vector<double> played = numbers(values, "snrs");
    std::sort(played.begin(), played.end());
    const Index length = count(values, "length");
    for (const double snr : played)
      places.push_back({snr, problem(snr, length), true});
    // Theory alone between them, so that the lines are smooth; max costs more a point.
    const int between = model == "spiked" ? 3 : 0;
    for (std::size_t i = 0; i + 1 < played.size(); ++i)
      for (int j = 1; j <= between; ++j) {
        const double snr = played[i] + (played[i + 1] - played[i]) * j / (between + 1);
        places.push_back({snr, problem(snr, length), false});
      }
  }
  return places;
}

class RiskPlan final : public Plan {
 public:
  RiskPlan(const Values& values, std::uint64_t seed)
      : descriptor_(needle_population_risk_descriptor()) {
    auto setting = std::make_shared<RiskSetting>();
    setting->places = make_places(values);
    setting->dimension = count(values, "dimension");
    setting->prompts = count(values, "prompts");
    setting->seed = seed;
    if (text(values, "model") == "argmax") setting->largest_scale = number(values, "largestScale");
    setting_ = std::move(setting);
  }

  std::size_t task_count() const override { return setting_->places.size(); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return std::make_unique<PlaceTask>(setting_, number);
  }
  double cost(std::size_t number) const override {
    const Place& place = setting_->places[number];
    // Milliseconds, roughly: the searches, and 20 ns a drawn coordinate.
    const double search = place.problem.model == needle::Model::kSpiked ? 40
                          : std::isinf(place.problem.snr)               ? 300
                                                                        : 800;
    const double play = 2e-5 * static_cast<double>(setting_->prompts * setting_->dimension) *
                        place.problem.lengths.mean();
    return search + (place.played ? play : 0);
  }

  Tables summarise(std::span<const Record> records) const override {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < records.size(); ++i)
      if (!records[i].empty()) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      return setting_->places[a].x < setting_->places[b].x;
    });
    NumberRows points(descriptor_, "points");
    NumberRows rates(descriptor_, "rates");
    NumberRows summary(descriptor_, "summary");
    for (const std::size_t i : order) {
      const Place& place = setting_->places[i];
      const Record& record = records[i];
      std::vector<double> row = {place.x, place.problem.snr, place.problem.lengths.mean(),
                                 record[0]};
      std::vector<double> rate = {place.x, record[0]};
      for (std::size_t k = 0; k < kKernelCount; ++k) {
        const double* theory = record.data() + 1 + kTheoryNumbers * k;
        const double* sums = record.data() + 1 + kTheoryNumbers * kKernelCount + 3 * k;
        const Estimate played = Moments{sums[0], sums[1], sums[2]}.mean();
        row.insert(row.end(), {theory[0], played.value, played.error, theory[1]});
      }
      points.add(row);
      const double softmax = record[1];
      const double linear = record[1 + kTheoryNumbers * kLinearNumber];
      // The laws for large nu are drawn where they are within a factor of two.
      const bool spiked = place.problem.model == needle::Model::kSpiked;
      const bool fixed = place.problem.lengths.fixed();
      const Index length = place.problem.lengths.minimum;
      const auto near = [](double law, double value) {
        return law < 2 * value && value < 2 * law ? law : kNaN;
      };
      rate.push_back(spiked && fixed && place.x > 0
                         ? near(needle::softmax_rate(length, place.x), softmax)
                         : kNaN);
      rate.push_back(spiked && place.x > 0
                         ? near(needle::linear_rate(place.problem.lengths.mean(), place.x), linear)
                         : kNaN);
      rate.push_back(!spiked && std::isinf(place.problem.snr) && fixed
                         ? needle::best_elementwise_risk(length)
                         : kNaN);
      rates.add(rate);
    }
    if (!order.empty()) {
      const Place& last = setting_->places[order.back()];
      const Record& record = records[order.back()];
      summary.add({last.problem.snr, last.problem.lengths.mean(), record[0], record[1],
                   record[1 + kTheoryNumbers * kLinearNumber], record[2],
                   needle::posterior_scale(last.problem)});
    }
    return {points.take(), rates.take(), summary.take()};
  }

 private:
  const Descriptor& descriptor_;
  std::shared_ptr<const RiskSetting> setting_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<RiskPlan>(values, seed);
}

const Registration kRegistration(kNeedlePopulationRisk, needle_population_risk_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
