// mhla.scaling: time, memory and accuracy of the ways to solve, measured where it runs. The times
// are measurements: they differ from run to run, everything else does not.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "experiments/describe.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "mhla/fit.h"
#include "mhla/linear_attention_data.h"
#include "mhla/parameters.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kDataStream = 0x5c1, kTruthStream = 0x5c2;
constexpr Index kMostSamples = 65536;
constexpr const char* kWays[] = {"cholesky", "tsqr", "svd", "dual"};

constexpr Identity kMhlaScaling = {"mhla.scaling", "mhla", 80};
const Descriptor& descriptor();

enum Field : std::size_t { kMilliseconds, kDistance, kLoss, kCondition, kLongestStep, kFields };

class SolveTask final : public Task {
 public:
  SolveTask(Index d, Index samples, Index length, mhla::FitMethod method, double collinear,
            std::uint64_t seed)
      : d_(d),
        samples_(samples),
        length_(length),
        method_(method),
        collinear_(collinear),
        random_(seed, stream_of({kDataStream, static_cast<std::uint64_t>(d)})),
        seed_(seed) {}

  bool step() override {
    if (!fit_) {
      draw();
      return false;
    }
    const auto begin = std::chrono::steady_clock::now();
    const bool ended = fit_->step();
    const double spent =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    milliseconds_ += spent;
    longest_ = std::max(longest_, spent);
    if (!ended) return false;
    const mhla::FitResult& found = fit_->result();
    record_ = {milliseconds_, (found.coefficients - truth_).norm() / truth_.norm(),
               found.training_error / found.target_variance, found.condition, longest_};
    return true;
  }
  double progress() const override {
    if (!fit_) return 0.1 * static_cast<double>(drawn_) / static_cast<double>(samples_);
    return 0.1 + 0.9 * fit_->progress();
  }
  Record record() const override { return record_; }

 private:
  void draw() {
    if (truth_.size() == 0) {
      RandomStream random(seed_, stream_of({kTruthStream, static_cast<std::uint64_t>(d_)}));
      truth_ =
          mhla::coefficients(mhla::random_heads(1, d_, d_, mhla::ScaleReading::kDeviation, random));
      data_ = {Matrix(samples_, mhla::pair_count(d_)), Matrix(samples_, d_)};
      targets_.resize(samples_, d_);
    }
    const Index now = std::min<Index>(512, samples_ - drawn_);
    mhla::Prompts prompts =
        mhla::draw_prompts(mhla::PromptKind::kGaussian, now, length_, d_, random_);
    if (collinear_ > 0 && d_ > 2)
      prompts.tokens.col(d_ - 1) =
          prompts.tokens.col(0) + prompts.tokens.col(1) + collinear_ * prompts.tokens.col(d_ - 1);
    const mhla::Samples part = last_samples(prompts);
    data_.grams.middleRows(drawn_, now) = part.grams;
    data_.queries.middleRows(drawn_, now) = part.queries;
    targets_.middleRows(drawn_, now) = mhla::predict(truth_, part);
    drawn_ += now;
    if (drawn_ < samples_) return;
    mhla::FitOptions options;
    options.method = method_;
    options.heads = false;
    fit_ = std::make_unique<mhla::Fit>(std::move(data_), std::move(targets_), options);
  }

  Index d_, samples_, length_;
  mhla::FitMethod method_;
  double collinear_;
  RandomStream random_;
  std::uint64_t seed_;
  Matrix truth_, targets_;
  mhla::Samples data_;
  Index drawn_ = 0;
  std::unique_ptr<mhla::Fit> fit_;
  double milliseconds_ = 0, longest_ = 0;
  Record record_;
};

struct Point {
  Index d, samples;
  std::string way;
};

class ScalingPlan final : public Plan {
 public:
  ScalingPlan(const Values& values, std::uint64_t seed)
      : length_(count(values, "length")), collinear_(number(values, "collinear")), seed_(seed) {
    const double factor = number(values, "samplesPerPower");
    for (const double d : numbers(values, "dimensions")) {
      if (d != std::floor(d))
        fail(ErrorCode::kNotInteger, "dimensions", "has the entry " + show(d));
      const auto whole = static_cast<Index>(d);
      const Index psi = mhla::feature_count(whole);
      const auto wanted = static_cast<Index>(factor * d * d * d * d);
      for (const char* way : kWays) {
        const bool dual = std::string(way) == "dual";
        const Index samples =
            dual ? std::max<Index>(1, psi / 2) : std::max(psi, std::min(kMostSamples, wanted));
        points_.push_back({whole, samples, way});
      }
    }
  }

  std::size_t task_count() const override { return points_.size(); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    const Point& p = points_[number];
    return std::make_unique<SolveTask>(p.d, p.samples, length_, mhla::fit_method(p.way), collinear_,
                                       seed_);
  }
  double cost(std::size_t number) const override { return 1e4 + work(points_[number]); }

  Tables summarise(std::span<const Record> records) const override {
    TableRows points(descriptor(), "points"), law(descriptor(), "law"),
        summary(descriptor(), "summary");
    double anchor = 0;
    std::size_t last = points_.size();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Record& record = records[i];
      if (record.size() != kFields) continue;
      const Point& p = points_[i];
      const double megabytes = memory(p) / 1e6;
      points.add({p.way, static_cast<double>(p.d), static_cast<double>(mhla::feature_count(p.d)),
                  static_cast<double>(p.samples), record[kMilliseconds], record[kLongestStep],
                  megabytes, record[kDistance], record[kLoss], record[kCondition]});
      if (p.way == "cholesky") {
        anchor = record[kMilliseconds] / work(p);
        last = i;
      }
    }
    if (last < points_.size())
      for (const Point& p : points_)
        if (p.way == "cholesky") law.add({static_cast<double>(p.d), anchor * work(p)});
    if (last < points_.size()) {
      const Record& record = records[last];
      summary.add({static_cast<double>(points_[last].d), static_cast<double>(points_[last].samples),
                   record[kMilliseconds], memory(points_[last]) / 1e6, record[kDistance]});
    }
    return {points.take(), law.take(), summary.take()};
  }

 private:
  // Multiply-adds that grow fastest: N psi^2, about d^10 at N = 4 d^4.
  static double work(const Point& p) {
    const auto psi = static_cast<double>(mhla::feature_count(p.d));
    return static_cast<double>(p.samples) * psi * psi;
  }
  static double memory(const Point& p) {
    const auto n = static_cast<double>(p.samples);
    const auto samples = 8 * n * static_cast<double>(mhla::pair_count(p.d) + 2 * p.d);
    return samples + (p.way == "dual" ? 8 * n * n : mhla::FeatureFactor::bytes(p.d, p.d));
  }

  Index length_;
  double collinear_;
  std::uint64_t seed_;
  std::vector<Point> points_;
};

const Descriptor& descriptor() {
  static const Descriptor made = [] {
    Descriptor d(kMhlaScaling);
    d.title = "How does the exact solver scale?";
    d.summary =
        "Time, memory and accuracy of four ways to the same least squares, measured here and now.";
    d.answer =
        "At d = {summary.dimension} and N = {summary.samples} the Gram matrix and its Cholesky "
        "factor take {summary.milliseconds} ms and {summary.megabytes} MB, with a relative error "
        "of the coefficients of {summary.distance}.";
    d.source = "arXiv 2410.10101, Theorem 2.2 (time O(N d⁴ n / ε)); exact counts derived";
    Parameter dimensions = parameter(ParameterType::kNumbers, "dimensions", "d",
                                     std::vector<double>{2, 3, 4, 5, 6, 7, 8}, {2, 12, 1},
                                     "Token dimensions", "One point for each.", "sizes");
    dimensions.maximum_count = 8;
    d.parameters = {
        dimensions,
        parameter(ParameterType::kNumber, "samplesPerPower", "", 4.0, {0.5, 16, 0.5},
                  "Samples over d⁴", "N = this times d⁴, at least ψ and at most 65,536.", "sizes"),
        parameter(ParameterType::kInteger, "length", "n", 16.0, {2, 64, 1}, "Tokens of a prompt",
                  "Of the Gaussian prompts that are fitted.", "sizes"),
        parameter(ParameterType::kNumber, "collinear", "", 0.0, {0, 1, 0.001}, "Near-collinearity",
                  "0: none. Else the last coordinate is the sum of the first two and this much of "
                  "its own.",
                  "sizes")};
    d.presets = {{"growth",
                  "N = 4 d⁴",
                  "arXiv 2410.10101, Theorem 2.2; counts derived",
                  "At N = 4 d⁴ the work grows as d¹⁰.",
                  {}},
                 {"near-collinear",
                  "Nearly dependent coordinates",
                  "numerical analysis; derived",
                  "A scaled condition number of 10⁷: Cholesky cannot serve any more, the streamed "
                  "QR loses what it must and no more.",
                  {{"dimensions", std::vector<double>{3, 4, 5, 6}}, {"collinear", 0.01}}}};
    const Column dimension = number_of("dimension", "d", "token dimension");
    const Column milliseconds{"milliseconds", "", "ms", "time", ColumnType::kNumber};
    const Column megabytes{"megabytes", "", "MB", "memory of the solver", ColumnType::kNumber};
    const Column samples = number_of("samples", "N", "samples");
    const Column distance = number_of("distance", "", "relative error of the coefficients");
    d.tables = {{"points",
                 "Measurements",
                 {text_of("way", "way"),
                  dimension,
                  number_of("features", "ψ", "features"),
                  samples,
                  milliseconds,
                  {"longestStep", "", "ms", "longest slice of work", ColumnType::kNumber},
                  megabytes,
                  distance,
                  number_of("loss", "", "training loss over the targets' variance"),
                  number_of("condition", "", "scaled condition number")}},
                {"law", "N ψ², through the last measurement", {dimension, milliseconds}},
                {"summary",
                 "Cholesky at the largest size",
                 {dimension, samples, milliseconds, megabytes, distance}}};
    Figure time;
    time.name = "time";
    time.label = "Time";
    time.caption =
        "One thread of this machine. The kernel form (dual) has N = ψ/2 samples, the others "
        "N = {samplesPerPower} d⁴. Line: N ψ² through the last Cholesky measurement.";
    time.x = {"token dimension", "d", "", true};
    time.y = {"time", "", "ms", true};
    Mark law = with_role(theory_line("law", "dimension", "milliseconds", "N ψ²",
                                     Standing::kHeuristic, "leading operation count"),
                         Role::kReference);
    time.marks = {law,
                  simulated_dots("points", "dimension", "milliseconds", "", "{series}", "way")};
    Figure accuracy;
    accuracy.name = "accuracy";
    accuracy.label = "Accuracy";
    accuracy.caption =
        "Relative error of the coefficients against the truth that made the targets. The kernel "
        "form has fewer samples than features: it cannot find the truth, only the least norm.";
    accuracy.x = {"token dimension", "d", "", true};
    accuracy.y = {"relative error", "", "", true};
    accuracy.marks = {simulated_dots("points", "dimension", "distance", "", "{series}", "way")};
    Figure memory;
    memory.name = "memory";
    memory.label = "Memory";
    memory.caption =
        "Samples and factors. Of the streamed ways it does not grow with N but for the "
        "samples themselves.";
    memory.x = {"token dimension", "d", "", true};
    memory.y = {"memory", "", "MB", true};
    memory.marks = {simulated_dots("points", "dimension", "megabytes", "", "{series}", "way")};
    d.figures = {time, accuracy, memory};
    return d;
  }();
  return made;
}

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<ScalingPlan>(values, seed);
}

const Registration kRegistration(kMhlaScaling, descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
