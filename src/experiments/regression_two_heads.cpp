// regression.two-heads: the pair of heads of opposite sign, and what it learns to be.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/portable.h"
#include "core/random.h"
#include "experiments/describe.h"
#include "experiments/early_and_late.h"
#include "experiments/moments.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/regression_two_heads.h"
#include "experiments/table_rows.h"
#include "measure/query_law.h"
#include "regression/heads.h"
#include "regression/integrate.h"
#include "regression/temperature.h"

namespace attnlab::experiments {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kPromptStream = 0x81;
constexpr std::uint64_t kStartStream = 0x82;
constexpr Index kExamplesPerBatch = 4000;
constexpr Index kBlocks = 20;
constexpr int kFlowTimes = 160;
// Predictors that are tried at every test length.
enum Predictor : std::size_t { kPair, kSingle, kDebiased, kVanilla, kPredictorCount };

const Descriptor& descriptor() {
  return regression_two_heads_descriptor();
}

struct Setting {
  regression::HeadsSetting train;  // d, L, s2
  double gamma;
  Index heads;
  std::string start;
  double start_size;
  double last_time;
  std::vector<Index> lengths;
  double examples;
  std::uint64_t seed;
  double pair_weight;
  regression::SingleHead single;
};

// The flow of the approximate loss from a small start: (om, mu) at kFlowTimes times.
class FlowTask final : public Task {
 public:
  explicit FlowTask(const Setting& setting) : setting_(setting), state_(2 * setting.heads) {
    RandomStream random(setting.seed, stream_of({kStartStream}));
    for (Index h = 0; h < setting.heads; ++h) {
      // Opposite: signs alternate. Same: all positive. Random: normal.
      const double sign = setting.start == "same" || h % 2 == 0 ? 1 : -1;
      const double size = setting.start_size * (1 + 0.2 * random.gaussian());
      state_(h) = setting.start == "random" ? setting.start_size * random.gaussian() : sign * size;
      state_(setting.heads + h) = setting.start == "random"
                                      ? setting.start_size * random.gaussian()
                                      : sign * setting.start_size * (1 + 0.2 * random.gaussian());
    }
    put();
  }

  bool step() override {
    const Index H = setting_.heads;
    const auto field = [&](const Vector& state) {
      const auto slope =
          regression::approximate_heads(setting_.train, state.head(H), state.tail(H));
      Vector flow(2 * H);
      flow << -slope.omega, -slope.mu;
      return flow;
    };
    // Times in a geometric grid, so that start and drift are both seen.
    state_ = regression::integrate(field, state_, {time(next_) - time(next_ - 1)}, 1e-8)[0];
    ++next_;
    put();
    return next_ > kFlowTimes;
  }
  double progress() const override { return static_cast<double>(next_ - 1) / kFlowTimes; }
  Record record() const override { return record_; }

 private:
  double time(int i) const {
    if (i == 0) return 0;
    const double share = static_cast<double>(i - 1) / (kFlowTimes - 1);
    return 0.01 * portable::pow(setting_.last_time / 0.01, share);
  }
  void put() {
    record_.push_back(time(next_ - 1));
    record_.insert(record_.end(), state_.data(), state_.data() + state_.size());
  }

  const Setting& setting_;
  Vector state_;
  Record record_;
  int next_ = 1;
};

class TestTask final : public Task {
 public:
  TestTask(const Setting& setting, Index block)
      : setting_(setting), block_(block), moments_(setting.lengths.size() * kPredictorCount) {}

  bool step() override {
    const Index length = setting_.lengths[place_];
    const Index all = std::max<Index>(
        kBlocks, static_cast<Index>(setting_.examples / static_cast<double>(length)));
    const Index mine = all * (block_ + 1) / kBlocks - all * block_ / kBlocks;
    const Index batch = std::min(mine - done_, std::max<Index>(1, kExamplesPerBatch / length));
    if (batch > 0) add(batch, length);
    if (done_ >= mine) {
      ++place_;
      done_ = 0;
    }
    return place_ == setting_.lengths.size();
  }
  double progress() const override {
    return static_cast<double>(place_) / static_cast<double>(setting_.lengths.size());
  }
  Record record() const override {
    Record record;
    for (const auto& moments : moments_)
      record.insert(record.end(), {moments.count, moments.sum, moments.squares});
    return record;
  }

 private:
  void add(Index batch, Index length) {
    const auto d = static_cast<Index>(setting_.train.dimension);
    const Matrix identity = Matrix::Identity(d, d);
    regression::PromptLaw law;
    law.covariance = identity;
    law.task_variance = 1 / setting_.train.dimension;
    law.label_variance = setting_.train.label_variance;
    const auto index = [](auto value) { return static_cast<std::uint64_t>(value); };
    RandomStream random(setting_.seed,
                        stream_of({kPromptStream, index(length), index(block_), index(done_)}));
    const auto prompts = regression::draw_prompts(law, batch, length, random);
    const Vector predictions[kPredictorCount] = {
        regression::finite_predictions(prompts,
                                       {{setting_.gamma * identity, setting_.pair_weight},
                                        {-setting_.gamma * identity, -setting_.pair_weight}}),
        regression::finite_predictions(prompts,
                                       {setting_.single.omega * identity, setting_.single.mu}),
        regression::debiased_predictions(prompts, regression::debiased_step(setting_.train)),
        regression::vanilla_predictions(prompts, regression::vanilla_step(setting_.train))};
    for (std::size_t k = 0; k < kPredictorCount; ++k)
      for (Index p = 0; p < batch; ++p) {
        const double gap = predictions[k](p) - prompts.targets(p);
        moments_[place_ * kPredictorCount + k].add(gap * gap);
      }
    done_ += batch;
  }

  const Setting& setting_;
  Index block_;
  std::vector<Moments> moments_;
  std::size_t place_ = 0;
  Index done_ = 0;
};

class TwoHeadsPlan final : public Plan {
 public:
  TwoHeadsPlan(const Values& values, std::uint64_t seed) {
    setting_.train = {number(values, "dimension"), number(values, "length"),
                      number(values, "labelVariance")};
    setting_.gamma = number(values, "gamma");
    setting_.heads = count(values, "heads");
    setting_.start = text(values, "start");
    setting_.start_size = number(values, "startSize");
    setting_.last_time = number(values, "lastTime");
    for (const double entry : numbers(values, "testLengths"))
      setting_.lengths.push_back(static_cast<Index>(entry));
    setting_.examples = number(values, "examples");
    setting_.seed = seed;
    setting_.pair_weight = regression::pair_mu(setting_.train, setting_.gamma);
    // The best single head of the approximate loss: its closed form.
    setting_.single = {0, regression::approximate_single_omega(setting_.train),
                       regression::approximate_single_mu(setting_.train)};
  }

  std::size_t task_count() const override { return 1 + kBlocks; }
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number == 0) return std::make_unique<FlowTask>(setting_);
    return std::make_unique<TestTask>(setting_, static_cast<Index>(number - 1));
  }
  double cost(std::size_t number) const override { return number == 0 ? 0.2 : 1.0; }

  Tables summarise(std::span<const Record> records) const override {
    TableRows flow(descriptor(), "flow");
    TableRows learned(descriptor(), "learned");
    TableRows loss(descriptor(), "loss");
    add_flow(records[0], flow, learned, loss);
    TableRows manifold(descriptor(), "manifold");
    for (int i = 1; i <= 100; ++i) {
      const double gamma = 0.006 * i;
      const double mu = regression::pair_mu(setting_.train, gamma);
      const Vector omega = (Vector(2) << gamma, -gamma).finished();
      const Vector weights = (Vector(2) << mu, -mu).finished();
      manifold.add({gamma, mu, regression::approximate_heads(setting_.train, omega, weights).loss,
                    finite(regression::first_order_heads_risk(setting_.train, omega, weights))});
    }
    TableRows test(descriptor(), "test");
    TableRows summary(descriptor(), "summary");
    add_test(records.subspan(1), test, summary);
    return {flow.take(), learned.take(), loss.take(), manifold.take(), test.take(), summary.take()};
  }

 private:
  static double finite(double value) { return std::isfinite(value) ? value : kNaN; }

  void add_flow(const Record& record, TableRows& flow, TableRows& learned, TableRows& loss) const {
    const Index H = setting_.heads;
    const auto width = static_cast<std::size_t>(1 + 2 * H);
    for (std::size_t at = 0; at + width <= record.size(); at += width) {
      const double time = record[at];
      const Vector omega = Eigen::Map<const Vector>(&record[at + 1], H);
      const Vector mu = Eigen::Map<const Vector>(&record[at + 1] + H, H);
      for (Index h = 0; h < H; ++h)
        flow.add({"head " + std::to_string(h + 1), time, omega(h), mu(h)});
      loss.add({time, regression::approximate_heads(setting_.train, omega, mu).loss,
                regression::approximate_single_risk(setting_.train),
                regression::approximate_pair_risk(setting_.train)});
      if (at + 2 * width <= record.size()) continue;
      for (Index h = 0; h < H; ++h)
        learned.add({static_cast<double>(h + 1), std::fabs(omega(h)), std::fabs(mu(h)),
                     omega(h) * mu(h) < 0 ? 0.0 : (omega(h) < 0 ? -1.0 : 1.0)});
    }
  }

  void add_test(std::span<const Record> records, TableRows& test, TableRows& summary) const {
    std::vector<Moments> totals(setting_.lengths.size() * kPredictorCount);
    for (const auto& record : records)
      for (std::size_t i = 0; i < totals.size() && !record.empty(); ++i)
        totals[i].add(Moments{record[3 * i], record[3 * i + 1], record[3 * i + 2]});
    std::size_t nearest = 0;  // the length of training, else the first one
    const double noise = setting_.train.label_variance;
    const Vector omega = (Vector(2) << setting_.gamma, -setting_.gamma).finished();
    const Vector mu = (Vector(2) << setting_.pair_weight, -setting_.pair_weight).finished();
    bool pair_held = true, single_held = true;
    for (std::size_t i = 0; i < setting_.lengths.size(); ++i) {
      const auto length = static_cast<double>(setting_.lengths[i]);
      regression::HeadsSetting at = setting_.train;
      at.length = length;
      const auto mean = [&](Predictor k) { return totals[i * kPredictorCount + k].mean(); };
      // Better than the answer 0, or it is not drawn.
      const auto law = [&](const Vector& scales, const Vector& weights, bool& held) {
        const double risk = regression::first_order_heads_risk(at, scales, weights);
        const bool holds = measure::gaussian_query_early_share(static_cast<Index>(at.dimension),
                                                               scales.cwiseAbs2().maxCoeff(),
                                                               length) < measure::kSmallEarlyShare;
        const EarlyAndLate parts = early_and_late(risk, holds, held, risk < 1 + noise);
        held = holds;
        return parts;
      };
      const EarlyAndLate pair = law(omega, mu, pair_held);
      const EarlyAndLate single = law(Vector::Constant(1, setting_.single.omega),
                                      Vector::Constant(1, setting_.single.mu), single_held);
      test.add({length, mean(kPair).value + noise, mean(kPair).error, pair.late, pair.early,
                mean(kSingle).value + noise, mean(kSingle).error, single.late, single.early,
                mean(kDebiased).value + noise, mean(kDebiased).error,
                regression::debiased_risk(at, regression::debiased_step(setting_.train)),
                mean(kVanilla).value + noise, mean(kVanilla).error,
                regression::vanilla_risk(at, regression::vanilla_step(setting_.train)),
                regression::bayes_risk_limit(at.dimension / length, noise)});
      if (length == setting_.train.length) nearest = i;
    }
    const auto told = [&](Predictor k) { return totals[nearest * kPredictorCount + k].mean(); };
    summary.add({static_cast<double>(setting_.lengths[nearest]), setting_.gamma,
                 setting_.pair_weight, told(kPair).value + noise, told(kPair).error,
                 told(kSingle).value + noise, told(kSingle).error, told(kDebiased).value + noise});
  }

  Setting setting_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  for (const double entry : numbers(values, "testLengths"))
    if (entry != std::floor(entry))
      fail(ErrorCode::kNotInteger, "testLengths",
           "has the entry " + show(entry) + "; whole numbers are expected");
  return std::make_unique<TwoHeadsPlan>(values, seed);
}

const Registration kRegistration(kRegressionTwoHeads, descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
