// mhla.heads: how many heads a function of linear attention needs.
#include "experiments/mhla_heads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/portable.h"
#include "core/random.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "mhla/feature_triangle.h"
#include "mhla/features.h"
#include "mhla/fewer_heads.h"
#include "mhla/fit.h"
#include "mhla/head_training.h"
#include "mhla/heads.h"
#include "mhla/linear_attention_data.h"
#include "mhla/parameters.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kTruthStream = 0x4e1, kDataStream = 0x4e2, kStartStream = 0x4e3;
constexpr double kExact = 1e-10;  // relative error at which a number of heads counts as enough

struct Setting {
  Index d, samples, length, starts, steps, shown;
  Matrix truth;  // coefficients
  std::uint64_t seed;

  // The first `how_many` prompts.
  mhla::Samples draw(Index how_many) const {
    RandomStream random(seed, stream_of({kDataStream}));
    return last_samples(
        mhla::draw_prompts(mhla::PromptKind::kGaussian, how_many, length, d, random));
  }
};

// Record: features' rank; then for each gauge the singular values; then for each gauge the errors
// of 1, 2, ... heads kept; then the head shown, V then Q.
class SolverTask final : public Task {
 public:
  explicit SolverTask(std::shared_ptr<const Setting> setting) : setting_(std::move(setting)) {}
  bool step() override {
    const Setting& s = *setting_;
    if (!fit_) {
      mhla::Samples samples = s.draw(s.samples);
      triangle_ = mhla::feature_triangle(samples);
      Matrix targets = mhla::predict(s.truth, samples);
      fit_ = std::make_unique<mhla::Fit>(std::move(samples), std::move(targets));
      return false;
    }
    if (!fit_->step()) return false;
    const mhla::FitResult& found = fit_->result();
    record_ = {static_cast<double>(found.rank), static_cast<double>(found.heads.size())};
    Record errors;
    for (const bool one_sided : {false, true}) {
      const Matrix w = one_sided ? mhla::one_sided_w(found.coefficients, s.d)
                                 : mhla::symmetric_w(found.coefficients, s.d);
      const mhla::HeadSplit split = mhla::split_heads(w, s.d);
      for (Index i = 0; i < s.d * s.d; ++i)
        record_.push_back(split.singular_values(i));
      mhla::Heads kept;
      for (Index r = 0; r < s.d * s.d; ++r) {
        if (r < static_cast<Index>(split.heads.size()))
          kept.push_back(split.heads[static_cast<std::size_t>(r)]);
        const Matrix off = mhla::coefficients(kept) - found.coefficients;
        errors.push_back((off * triangle_.transpose()).norm() /
                         (found.coefficients * triangle_.transpose()).norm());
      }
    }
    record_.insert(record_.end(), errors.begin(), errors.end());
    const auto shown = static_cast<std::size_t>(s.shown - 1);
    if (shown < found.heads.size()) {
      const mhla::Head& head = found.heads[shown];
      record_.insert(record_.end(), head.value.data(), head.value.data() + head.value.size());
      record_.insert(record_.end(), head.query.data(), head.query.data() + head.query.size());
    }
    return true;
  }
  double progress() const override { return fit_ ? fit_->progress() : 0.0; }
  Record record() const override { return record_; }

 private:
  std::shared_ptr<const Setting> setting_;
  std::unique_ptr<mhla::Fit> fit_;
  Matrix triangle_;
  Record record_;
};

// Record: the relative error with this many heads.
class SearchTask final : public Task {
 public:
  SearchTask(std::shared_ptr<const Setting> setting, Index heads)
      : setting_(std::move(setting)), heads_(heads) {}
  bool step() override {
    if (!search_) {
      const Matrix triangle = mhla::feature_triangle(setting_->draw(setting_->samples));
      search_ =
          std::make_unique<mhla::FewerHeads>(setting_->truth, setting_->d, heads_, triangle,
                                             static_cast<int>(setting_->starts), setting_->seed);
      return false;
    }
    return search_->step();
  }
  double progress() const override { return search_ ? search_->progress() : 0.0; }
  Record record() const override {
    return search_ && std::isfinite(search_->relative_error()) ? Record{search_->relative_error()}
                                                               : Record{};
  }

 private:
  std::shared_ptr<const Setting> setting_;
  Index heads_;
  std::unique_ptr<mhla::FewerHeads> search_;
};

// Full-batch Adam on all of a data set at once. Record: rank, relative excess loss.
class DescentTask final : public Task {
 public:
  DescentTask(std::shared_ptr<const Setting> setting, Index heads, Index samples)
      : setting_(std::move(setting)), heads_(heads), samples_(samples) {}
  bool step() override {
    const Setting& s = *setting_;
    if (!training_) {
      const mhla::Samples samples = s.draw(samples_);
      const Matrix r = mhla::feature_triangle(samples);
      auto moments = std::make_shared<mhla::SequenceMoments>();
      moments->dimension = s.d;
      moments->samples_each = 1;
      moments->lambda = r.transpose() * r;
      const Index psi = mhla::feature_count(s.d);
      moments->packed.resize(1, psi * (psi + 1) / 2);
      for (Index f = 0; f < psi; ++f)
        for (Index g = 0; g <= f; ++g)
          moments->packed(0, f * (f + 1) / 2 + g) = moments->lambda(f, g);
      size_ = (s.truth * r.transpose()).squaredNorm();
      mhla::HeadTrainingOptions options;
      options.adamw.rate = 0.02;
      options.adamw.weight_decay = 0;
      options.schedule = optimize::Schedule::kCosine;
      options.epochs = s.steps;
      options.batch = 1;
      const mhla::HeadShape shape{heads_, s.d, s.d};
      RandomStream random(s.seed, stream_of({kStartStream, static_cast<std::uint64_t>(heads_)}));
      training_ = std::make_unique<mhla::HeadTraining>(
          moments, s.truth, shape, mhla::random_head_vector(shape, 0.5, random), options, s.seed,
          static_cast<std::uint64_t>(heads_));
      return false;
    }
    return training_->step();
  }
  double progress() const override {
    return training_
               ? static_cast<double>(training_->epoch()) / static_cast<double>(setting_->steps)
               : 0.0;
  }
  Record record() const override {
    if (!training_) return {};
    return {training_->losses().back() / size_};
  }
  std::optional<std::int64_t> diverged_at() const override {
    if (!training_ || !training_->diverged()) return std::nullopt;
    return training_->steps();
  }

 private:
  std::shared_ptr<const Setting> setting_;
  Index heads_, samples_;
  std::unique_ptr<mhla::HeadTraining> training_;
  double size_ = 1;
};

class HeadsPlan final : public Plan {
 public:
  HeadsPlan(const Values& values, std::uint64_t seed) {
    auto setting = std::make_shared<Setting>();
    const Index d = count(values, "dimension");
    setting->d = d;
    setting->samples = count(values, "samples");
    setting->length = count(values, "length");
    setting->starts = count(values, "starts");
    setting->steps = count(values, "steps");
    setting->shown = count(values, "head");
    setting->seed = seed;
    if (setting->shown > d * d)
      fail(ErrorCode::kOutOfRange, "head",
           "is " + std::to_string(setting->shown) + "; at most d² = " + std::to_string(d * d) +
               " heads are there");
    RandomStream random(seed, stream_of({kTruthStream}));
    if (text(values, "truth") == "general") {
      setting->truth = random.gaussian_matrix(d, mhla::feature_count(d));
    } else {
      setting->truth = mhla::coefficients(mhla::random_heads(
          count(values, "trueHeads"), d, d, mhla::ScaleReading::kDeviation, random));
    }
    most_heads_ = mhla::smallest_general_head_count(d) + 1;
    const Index sets = count(values, "dataSets");
    const Index psi = mhla::feature_count(d);
    for (Index i = 1; i <= sets; ++i)
      data_sets_.push_back(i == sets ? 3 * psi : std::max<Index>(1, psi * i / sets));
    setting_ = std::move(setting);
  }

  // The solver, the searches, then the map row by row.
  std::size_t task_count() const override {
    return static_cast<std::size_t>(1 + most_heads_) +
           data_sets_.size() * static_cast<std::size_t>(most_heads_);
  }
  std::unique_ptr<Task> task(std::size_t number) const override {
    const auto most = static_cast<std::size_t>(most_heads_);
    if (number == 0) return std::make_unique<SolverTask>(setting_);
    if (number <= most) return std::make_unique<SearchTask>(setting_, static_cast<Index>(number));
    const std::size_t cell = number - 1 - most;
    return std::make_unique<DescentTask>(setting_, static_cast<Index>(cell % most) + 1,
                                         data_sets_[cell / most]);
  }

  Tables summarise(std::span<const Record> records) const override {
    const Descriptor& descriptor = mhla_heads_descriptor();
    TableRows values(descriptor, "values"), kept(descriptor, "kept"),
        picture(descriptor, "picture"), map(descriptor, "map"), summary(descriptor, "summary");
    const Index d = setting_->d;
    const auto squares = static_cast<std::size_t>(d * d);
    const Record& solver = records[0];
    const auto most = static_cast<std::size_t>(most_heads_);
    if (!solver.empty()) {
      const char* gauges[] = {"symmetric", "one-sided"};
      for (std::size_t g = 0; g < 2; ++g)
        for (std::size_t i = 0; i < squares; ++i) {
          values.add({static_cast<double>(i + 1), gauges[g], solver[2 + g * squares + i]});
          kept.add({static_cast<double>(i + 1), std::string("truncated, ") + gauges[g],
                    solver[2 + (2 + g) * squares + i]});
        }
      const std::size_t head = 2 + 4 * squares;
      for (Index m = 0; m < 2 && solver.size() > head; ++m)
        for (Index i = 0; i < d; ++i)
          for (Index j = 0; j < d; ++j)
            picture.add({m == 0 ? "V" : "Q", static_cast<double>(i + 1),
                         static_cast<double>(j + 1 + m * (d + 1)),
                         solver[head + static_cast<std::size_t>((m * d + i) * d + j)]});
    }
    double least = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t r = 1; r <= most; ++r) {
      if (records[r].empty()) continue;
      kept.add({static_cast<double>(r), "searched", records[r][0]});
      if (records[r][0] < kExact && !(least <= static_cast<double>(r)))
        least = static_cast<double>(r);
    }
    const Index psi = mhla::feature_count(d);
    for (std::size_t cell = 0; cell < data_sets_.size() * most; ++cell) {
      const Record& record = records[1 + most + cell];
      if (record.empty()) continue;
      const Index samples = data_sets_[cell / most];
      map.add({static_cast<double>(cell % most + 1), static_cast<double>(std::min(samples, psi)),
               static_cast<double>(samples),
               portable::log(std::max(1e-32, record[0])) / 2.302585092994046});
    }
    if (!solver.empty())
      summary.add({solver[1], static_cast<double>(mhla::smallest_general_head_count(d)), least,
                   solver[0], static_cast<double>(psi),
                   solver[1 + static_cast<std::size_t>(setting_->shown)]});
    return {values.take(), kept.take(), picture.take(), map.take(), summary.take()};
  }

 private:
  Index most_heads_;
  std::vector<Index> data_sets_;
  std::shared_ptr<const Setting> setting_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<HeadsPlan>(values, seed);
}

const Registration kRegistration(kMhlaHeads, mhla_heads_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
