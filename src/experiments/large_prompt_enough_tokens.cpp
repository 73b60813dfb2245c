// large-prompt.enough-tokens: how long a prompt must be before softmax may be replaced.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/portable.h"
#include "core/random.h"
#include "experiments/crossing.h"
#include "experiments/early_and_late.h"
#include "experiments/large_prompt_enough_tokens.h"
#include "experiments/moments.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/surrogates.h"
#include "experiments/table_rows.h"
#include "experiments/token_source.h"
#include "measure/finite_prompt.h"
#include "measure/query_law.h"

namespace attnlab::experiments {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kQueryStream = 0xb1;
constexpr std::uint64_t kPromptStream = 0xb2;
constexpr std::uint64_t kSwapStream = 0xb3;
constexpr Index kBlocks = 20;
constexpr Index kWorkPerStep = 40000;  // tokens times queries

struct Setting {
  TokenSource source;
  Matrix queries;                                // a = A z, a row a query
  Matrix limits;                                 // T(a)
  Matrix surrogate;                              // m + G a
  double signal;                                 // mean of |T(a) - m|^2 over the queries
  double floor;                                  // mean of |T(a) - m - G a|^2
  double constant;                               // limit of n mean |m_n - T(a)|^2
  std::vector<std::pair<double, double>> parts;  // by query: 10 e^{2q}, and its part of `constant`
  double crossed;                                // limit of n mean 2 <T(a) - m - G a, m_n - T(a)>
  std::vector<Index> sizes;
  std::vector<Index> replicates;
  Index swap_tokens;
  Index swap_prompts;
  std::vector<Surrogate> methods;
  std::uint64_t seed;
};

Matrix softmax_outputs(const MatrixRef& queries, const MatrixRef& tokens) {
  Matrix outputs(queries.rows(), tokens.cols());
  for (Index q = 0; q < queries.rows(); ++q) {
    const Vector a = queries.row(q).transpose();
    const double length = a.norm();
    const Vector direction = length > 0 ? Vector(a / length) : Vector(Vector::Zero(a.size()));
    measure::FinitePrompt prompt(direction, std::vector<double>{length}, false);
    prompt.add(tokens);
    outputs.row(q) = prompt.summary(0).mean.transpose();
  }
  return outputs;
}

// Prompts of every size in turn; per size the mean over queries of the squared distance from the
// linear surrogate and from the limit.
class SizeTask final : public Task {
 public:
  SizeTask(const Setting& setting, Index block)
      : setting_(setting), block_(block), moments_(2 * setting.sizes.size()) {
    replicate_ = begin();
  }
  bool step() override {
    Index left = kWorkPerStep;
    while (left > 0) {
      while (size_ < setting_.sizes.size() && replicate_ >= end()) {
        ++size_;
        if (size_ < setting_.sizes.size()) replicate_ = begin();
      }
      if (size_ == setting_.sizes.size()) return true;
      one_prompt();
      left -= setting_.sizes[size_] * setting_.queries.rows();
      ++replicate_;
    }
    return false;
  }
  double progress() const override {
    return static_cast<double>(size_) / static_cast<double>(setting_.sizes.size());
  }
  Record record() const override {
    Record record;
    for (const auto& moments : moments_)
      record.insert(record.end(), {moments.count, moments.sum, moments.squares});
    return record;
  }

 private:
  Index begin() const { return setting_.replicates[size_] * block_ / kBlocks; }
  Index end() const { return setting_.replicates[size_] * (block_ + 1) / kBlocks; }
  void one_prompt() {
    const Index n = setting_.sizes[size_];
    RandomStream random(setting_.seed, stream_of({kPromptStream, static_cast<std::uint64_t>(n),
                                                  static_cast<std::uint64_t>(replicate_)}));
    const Matrix outputs =
        softmax_outputs(setting_.queries, setting_.source.measure->sample(random, n));
    const auto count = static_cast<double>(outputs.rows());
    moments_[2 * size_].add((outputs - setting_.surrogate).squaredNorm() / count);
    moments_[2 * size_ + 1].add((outputs - setting_.limits).squaredNorm() / count);
  }

  const Setting& setting_;
  Index block_;
  std::vector<Moments> moments_;
  std::size_t size_ = 0;
  Index replicate_ = 0;
};

// One prompt, every surrogate on it.
class SwapTask final : public Task {
 public:
  SwapTask(const Setting& setting, Index number)
      : setting_(setting), number_(number), errors_(setting.methods.size(), kNaN) {
    RandomStream random(setting.seed, stream_of({kSwapStream, static_cast<std::uint64_t>(number)}));
    tokens_ = setting.source.measure->sample(random, setting.swap_tokens);
    exact_ = softmax_outputs(setting.queries, tokens_);
  }
  bool step() override {
    const Matrix output = apply_surrogate(setting_.methods[next_], setting_.queries, tokens_,
                                          setting_.seed + static_cast<std::uint64_t>(number_));
    errors_[next_] = (output - exact_).squaredNorm() / static_cast<double>(output.rows());
    return ++next_ == setting_.methods.size();
  }
  double progress() const override {
    return static_cast<double>(next_) / static_cast<double>(setting_.methods.size());
  }
  Record record() const override { return errors_; }

 private:
  const Setting& setting_;
  Index number_;
  Matrix tokens_;
  Matrix exact_;
  Record errors_;
  std::size_t next_ = 0;
};

class EnoughPlan final : public Plan {
 public:
  EnoughPlan(const Values& values, std::uint64_t seed) : tolerance_(number(values, "tolerance")) {
    auto sources = token_sources(values, seed);
    setting_.source = std::move(sources.front());
    setting_.seed = seed;
    make_queries(values);
    for (Index n = 16; n <= count(values, "largestCount"); n *= 2)
      setting_.sizes.push_back(n);
    for (const Index n : setting_.sizes)
      setting_.replicates.push_back(count(values, "replicates") *
                                    std::min<Index>(setting_.sizes.back() / n, 16));
    setting_.swap_tokens = count(values, "tokenCount");
    setting_.swap_prompts = count(values, "swapPrompts");
    setting_.methods = surrogates(setting_.swap_tokens, setting_.source.dimension);
  }

  std::size_t task_count() const override {
    return static_cast<std::size_t>(kBlocks + setting_.swap_prompts);
  }
  std::unique_ptr<Task> task(std::size_t number) const override {
    const auto place = static_cast<Index>(number);
    if (place < kBlocks) return std::make_unique<SizeTask>(setting_, place);
    return std::make_unique<SwapTask>(setting_, place - kBlocks);
  }

  Tables summarise(std::span<const Record> records) const override {
    TableRows points(large_prompt_enough_tokens_descriptor(), "points");
    TableRows summary(large_prompt_enough_tokens_descriptor(), "summary");
    TableRows swaps(large_prompt_enough_tokens_descriptor(), "swaps");
    add_points(records.first(kBlocks), points, summary);
    add_swaps(records.subspan(kBlocks), swaps);
    return {points.take(), summary.take(), swaps.take()};
  }

 private:
  void make_queries(const Values& values) {
    const measure::Measure& law = *setting_.source.measure;
    const Index d = setting_.source.dimension;
    Matrix A = matrix(values, "weights");
    if (A.size() == 0) A = Matrix::Identity(d, d);
    if (A.rows() != d || A.cols() != d)
      fail(ErrorCode::kShape, "weights",
           "is " + std::to_string(A.rows()) + " x " + std::to_string(A.cols()) + "; " +
               std::to_string(d) + " x " + std::to_string(d) +
               " is expected, the dimension of the tokens after projection");
    A *= number(values, "scale");
    RandomStream random(setting_.seed, stream_of({kQueryStream}));
    setting_.queries = law.sample(random, count(values, "queries")) * A.transpose();
    const measure::Tilted origin = law.tilt(Vector::Zero(d));
    setting_.limits = setting_.surrogate = Matrix(setting_.queries.rows(), d);
    setting_.signal = setting_.floor = setting_.constant = setting_.crossed = 0;
    const auto Q = static_cast<double>(setting_.queries.rows());
    for (Index q = 0; q < setting_.queries.rows(); ++q) {
      const Vector a = setting_.queries.row(q).transpose();
      if (!law.contains(2 * a))
        fail(ErrorCode::kDomain, "scale",
             "is too large: Λ(2a) is infinite for a query among these tokens");
      const Vector limit = law.tilt(a).mean;
      const Vector linear = origin.mean + origin.covariance * a;
      const auto found = measure::constants(law, a, Matrix::Identity(d, d));
      setting_.limits.row(q) = limit.transpose();
      setting_.surrogate.row(q) = linear.transpose();
      setting_.signal += (limit - origin.mean).squaredNorm() / Q;
      setting_.floor += (limit - linear).squaredNorm() / Q;
      setting_.constant += found.output / Q;
      const double share = found.effective_sample_share;  // e^-q
      setting_.parts.emplace_back(10 / (share * share), found.output / Q);
      setting_.crossed += 2 * (limit - linear).dot(found.bias) / Q;
    }
    if (!(setting_.signal > 0))
      fail(ErrorCode::kOutOfRange, "scale", "makes every score alike: attention is the plain mean");
  }

  void add_points(std::span<const Record> records, TableRows& points, TableRows& summary) const {
    std::vector<Moments> totals(2 * setting_.sizes.size());
    for (const auto& record : records)
      for (std::size_t i = 0; i < totals.size() && !record.empty(); ++i)
        totals[i].add(Moments{record[3 * i], record[3 * i + 1], record[3 * i + 2]});
    const double unit = std::sqrt(setting_.signal);
    std::vector<double> ns, errors, bars, limit_errors, limit_bars;
    // As for Gaussian queries (measure/query_law.h).
    const auto holds = [this](double n) {
      double early = 0;
      for (const auto& [from, part] : setting_.parts)
        if (n < from) early += part;
      return early < measure::kSmallEarlyShare * setting_.constant;
    };
    bool held = true;
    for (std::size_t i = 0; i < setting_.sizes.size(); ++i) {
      const auto n = static_cast<double>(setting_.sizes[i]);
      const Estimate linear = totals[2 * i].root();
      const Estimate limit = totals[2 * i + 1].root();
      const double square = setting_.floor + (setting_.constant + setting_.crossed) / n;
      const bool now = holds(n);
      const EarlyAndLate line =
          early_and_late(std::sqrt(std::max(square, 0.0)) / unit, now, held, square > 0);
      const EarlyAndLate own =
          early_and_late(std::sqrt(setting_.constant / n) / unit, now, held, true);
      held = now;
      points.add({n, linear.value / unit, linear.error / unit, line.late, line.early,
                  limit.value / unit, limit.error / unit, own.late, own.early,
                  std::sqrt(setting_.floor) / unit, tolerance_, totals[2 * i].count});
      ns.push_back(n);
      errors.push_back(linear.value / unit);
      bars.push_back(linear.error / unit);
      limit_errors.push_back(limit.value / unit);
      limit_bars.push_back(limit.error / unit);
    }
    const Crossing linear = crossing(ns, errors, bars, tolerance_);
    const Crossing limit = crossing(ns, limit_errors, limit_bars, tolerance_);
    const double room = tolerance_ * tolerance_ * setting_.signal;
    const double needed = room > setting_.floor
                              ? (setting_.constant + setting_.crossed) / (room - setting_.floor)
                              : kNaN;
    summary.add({tolerance_, linear.place, linear.low, linear.high, needed, limit.place, limit.low,
                 limit.high, setting_.constant / room, std::sqrt(setting_.floor) / unit,
                 room > setting_.floor ? std::string("yes") : std::string("no"),
                 static_cast<double>(setting_.source.dimension)});
  }

  void add_swaps(std::span<const Record> records, TableRows& swaps) const {
    const double exact = softmax_cost(setting_.swap_tokens, setting_.source.dimension);
    for (std::size_t i = 0; i < setting_.methods.size(); ++i) {
      Moments moments;
      double lost = 0;
      for (const auto& record : records) {
        if (record.empty()) continue;
        // A vanished denominator leaves NaN; a method not yet reached too, in a partial record.
        if (std::isfinite(record[i])) {
          moments.add(record[i] / setting_.signal);
        } else {
          lost += 1;
        }
      }
      const Estimate error = moments.root();
      const auto& method = setting_.methods[i];
      const double cost = surrogate_cost(method, setting_.swap_tokens, setting_.source.dimension);
      swaps.add({method.method, method.setting, cost, cost / exact, error.value, error.error,
                 error.value <= tolerance_ ? std::string("yes") : std::string("no"), lost});
    }
  }

  double tolerance_;
  Setting setting_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<EnoughPlan>(values, seed);
}

const Registration kRegistration(kLargePromptEnoughTokens, large_prompt_enough_tokens_descriptor,
                                 prepare);

}  // namespace
}  // namespace attnlab::experiments
