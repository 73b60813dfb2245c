// mhla.fit: the reader's own prompts and targets.
#include "experiments/mhla_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "mhla/certificate.h"
#include "mhla/fit.h"
#include "mhla/linear_attention_data.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kExampleStream = 0xf17;
constexpr Index kMostShown = 2000;  // points of the figure
constexpr double kUncertain = 1e8;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Data {
  mhla::Samples samples;
  Matrix targets;
  mhla::FitOptions options;

  Index shown() const {
    return std::max<Index>(1, std::min(samples.count(), kMostShown / targets.cols()));
  }
};

// Rows to prompts by the number in the first column: a new number begins a new prompt.
mhla::Prompts numbered_prompts(const Matrix& tokens) {
  if (tokens.cols() < 2)
    fail(ErrorCode::kShape, "tokens",
         "has one column; the prompt's number and at least one coordinate are expected");
  mhla::Prompts prompts;
  prompts.tokens = tokens.rightCols(tokens.cols() - 1);
  for (Index t = 1; t <= tokens.rows(); ++t)
    if (t == tokens.rows() || tokens(t, 0) != tokens(t - 1, 0)) prompts.starts.push_back(t);
  require_prompts(prompts, "tokens");
  return prompts;
}

std::shared_ptr<const Data> read_data(const Values& values, std::uint64_t seed) {
  auto data = std::make_shared<Data>();
  const Matrix& tokens = matrix(values, "tokens");
  const Matrix& targets = matrix(values, "targets");
  const bool prefix = text(values, "reading") == "prefix";
  mhla::Prompts prompts;
  if (tokens.size() == 0) {
    if (targets.size() != 0) fail(ErrorCode::kMissing, "tokens", "are missing; targets are given");
    RandomStream random(seed, stream_of({kExampleStream}));
    const Index d = count(values, "exampleDimension");
    prompts = mhla::draw_prompts(mhla::PromptKind::kGaussian, count(values, "exampleSamples"),
                                 count(values, "length"), d, random);
    const mhla::Heads truth = mhla::random_heads(1, d, d, mhla::ScaleReading::kDeviation, random);
    data->targets.resize(prefix ? prompts.tokens.rows() : prompts.count(), d);
    for (Index i = 0; i < prompts.count(); ++i) {
      if (prefix)
        data->targets.middleRows(prompts.start(i), prompts.length(i)) =
            apply(truth, prompts.prompt(i), mhla::OutputMode::kPrefix);
      else
        data->targets.row(i) = apply(truth, prompts.prompt(i), mhla::OutputMode::kLast);
    }
    data->targets += number(values, "exampleNoise") *
                     random.gaussian_matrix(data->targets.rows(), data->targets.cols());
  } else {
    if (targets.size() == 0) fail(ErrorCode::kMissing, "targets", "are missing; tokens are given");
    prompts = text(values, "prompts") == "numbered"
                  ? numbered_prompts(tokens)
                  : mhla::equal_prompts(tokens, count(values, "length"), "tokens");
    data->targets = targets;
  }
  data->samples = prefix ? prefix_samples(prompts) : last_samples(prompts);
  data->options.method = mhla::fit_method(text(values, "method"));
  data->options.ridge = number(values, "ridge");
  // Throws what does not fit, with the parameter's name, before the run begins.
  if (data->targets.rows() != data->samples.count())
    fail(ErrorCode::kShape, "targets",
         "has " + std::to_string(data->targets.rows()) + " rows; the tokens make " +
             std::to_string(data->samples.count()) + " samples");
  return data;
}

// The record: a head of fixed places, then lists whose lengths follow from it.
enum Field : std::size_t {
  kMethod,
  kRank,
  kTrainingError,
  kVariance,
  kCondition,
  kSmallest,
  kLargest,
  kProven,
  kHeads,
  kValues,  // how many singular values
  kFields
};

class FitTask final : public Task {
 public:
  explicit FitTask(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

  bool step() override {
    if (!fit_) {
      fit_ = std::make_unique<mhla::Fit>(data_->samples, data_->targets, data_->options);
      return false;
    }
    if (!fitted_) {
      fitted_ = fit_->step();
      if (fitted_) certificate_ = std::make_unique<mhla::Certificate>(data_->samples);
      return false;
    }
    if (!certificate_->step()) return false;
    write();
    return true;
  }
  double progress() const override {
    if (!fit_) return 0;
    return 0.6 * fit_->progress() + (certificate_ ? 0.4 * certificate_->progress() : 0.0);
  }
  Record record() const override { return record_; }

 private:
  void write() {
    const mhla::FitResult& fit = fit_->result();
    const mhla::CertificateResult& certificate = certificate_->result();
    record_ = {static_cast<double>(mhla::fit_method(fit.method)),
               static_cast<double>(certificate.rank),
               fit.training_error,
               fit.target_variance,
               fit.condition,
               certificate.minimum_eigenvalue,
               certificate.maximum_eigenvalue,
               static_cast<double>(certificate.proven_rank),
               static_cast<double>(fit.heads.size()),
               static_cast<double>(fit.singular_values.size())};
    const auto append = [this](const double* from, Index size) {
      record_.insert(record_.end(), from, from + size);
    };
    append(fit.singular_values.data(), fit.singular_values.size());
    append(fit.coefficients.data(), fit.coefficients.size());
    Record open(static_cast<std::size_t>(fit.dimension), 0.0);
    for (const auto& direction : certificate.open_directions)
      open[static_cast<std::size_t>(direction.feature)] = direction.share;
    append(open.data(), fit.dimension);
    for (const mhla::Head& head : fit.heads) {
      append(head.value.data(), head.value.size());
      append(head.query.data(), head.query.size());
    }
    mhla::Samples shown{data_->samples.grams.topRows(data_->shown()),
                        data_->samples.queries.topRows(data_->shown())};
    const Matrix predictions = mhla::predict(fit.coefficients, shown);
    append(predictions.data(), predictions.size());
    for (Index i = 0; i < shown.count(); ++i)
      record_.push_back(certificate_->at(shown, i).leverage);
  }

  std::shared_ptr<const Data> data_;
  std::unique_ptr<mhla::Fit> fit_;
  std::unique_ptr<mhla::Certificate> certificate_;
  bool fitted_ = false;
  Record record_;
};

class FitPlan final : public Plan {
 public:
  FitPlan(const Values& values, std::uint64_t seed)
      : data_(read_data(values, seed)), ridge_(number(values, "ridge")) {}

  std::size_t task_count() const override { return 1; }
  std::unique_ptr<Task> task(std::size_t) const override {
    return std::make_unique<FitTask>(data_);
  }

  Tables summarise(std::span<const Record> records) const override {
    const Descriptor& descriptor = mhla_fit_descriptor();
    TableRows summary(descriptor, "summary"), predictions(descriptor, "predictions"),
        values(descriptor, "values"), coefficients(descriptor, "coefficients"),
        heads(descriptor, "heads"), warnings(descriptor, "warnings");
    const Record& record = records[0];
    if (!record.empty()) {
      const Index d = data_->samples.dimension(), outputs = data_->targets.cols();
      const Index psi = mhla::feature_count(d);
      add_summary(summary, record);
      add_warnings(warnings, record);
      const double* at = record.data() + kFields;
      for (int i = 0; i < static_cast<int>(record[kValues]); ++i)
        values.add({static_cast<double>(i + 1), *at++});
      const double* open = at + outputs * psi;
      for (Index a = 0; a < outputs; ++a)
        for (Index f = 0; f < psi; ++f)
          coefficients.add({static_cast<double>(a + 1), mhla::feature_text(d, f), *at++, open[f]});
      at += psi;
      for (int h = 1; h <= static_cast<int>(record[kHeads]); ++h)
        for (const bool value : {true, false})
          for (Index i = 0; i < (value ? outputs : d); ++i)
            for (Index j = 0; j < d; ++j)
              heads.add({static_cast<double>(h), value ? "V" : "Q", static_cast<double>(i + 1),
                         static_cast<double>(j + 1), *at++});
      const Index shown = data_->shown();
      const double* leverage = at + shown * outputs;
      for (Index i = 0; i < shown; ++i)
        for (Index a = 0; a < outputs; ++a)
          predictions.add({static_cast<double>(i + 1), static_cast<double>(a + 1),
                           data_->targets(i, a), *at++, leverage[i]});
    }
    return {summary.take(),      predictions.take(), values.take(),
            coefficients.take(), heads.take(),       warnings.take()};
  }

 private:
  void add_summary(TableRows& summary, const Record& record) const {
    const auto psi = static_cast<double>(mhla::feature_count(data_->samples.dimension()));
    const bool passes = record[kRank] == psi || record[kProven] == psi;
    summary.add({std::string(mhla::fit_method_name(
                     static_cast<mhla::FitMethod>(static_cast<int>(record[kMethod])))),
                 static_cast<double>(data_->samples.count()),
                 static_cast<double>(data_->samples.dimension()),
                 static_cast<double>(data_->targets.cols()), record[kRank], psi,
                 record[kTrainingError], record[kVariance],
                 record[kVariance] > 0 ? record[kTrainingError] / record[kVariance] : kNaN,
                 record[kCondition], record[kSmallest], record[kLargest], record[kHeads],
                 passes ? "the data determine the model" : "the data do not determine the model"});
  }

  void add_warnings(TableRows& warnings, const Record& record) const {
    const Index psi = mhla::feature_count(data_->samples.dimension());
    const auto rank = static_cast<Index>(record[kRank]);
    if (rank < psi)
      warnings.add({std::to_string(psi - rank) + " of " + std::to_string(psi) +
                    " directions of the coefficients are not determined; " +
                    (ridge_ > 0 ? "the ridge chooses" : "the answer of least |W| is given")});
    if (data_->samples.count() < psi)
      warnings.add({std::to_string(data_->samples.count()) + " samples cannot determine " +
                    std::to_string(psi) + " coefficients"});
    if (record[kVariance] == 0) warnings.add({"the targets are constant"});
    if (record[kCondition] > kUncertain)
      warnings.add({"the scaled condition number is " + show(record[kCondition]) +
                    ": rounding alone moves the coefficients by that times 2^-52"});
    if (record[kHeads] == 0) warnings.add({"too many coordinates to split off heads"});
  }

  std::shared_ptr<const Data> data_;
  double ridge_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<FitPlan>(values, seed);
}

const Registration kRegistration(kMhlaFit, mhla_fit_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
