// mhla.memory: an associative memory written into a prompt and asked.
#include "experiments/mhla_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "experiments/memory_model.h"
#include "experiments/moments.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"

namespace attnlab::experiments {
namespace {

using mhla::Directions;

constexpr std::uint64_t kPromptStream = 0xa5;
constexpr std::uint64_t kCrosstalkStream = 0xa6;
constexpr Index kPromptsPerBlock = 50;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Keys of about length one: N(0, I / d) where the data room draws N(0, I).
void scale_keys(Directions keys, Matrix& tokens) {
  const Index d = tokens.cols() / 2;
  if (keys == Directions::kGaussian) tokens.leftCols(d) /= std::sqrt(static_cast<double>(d));
}

struct Retrieved {
  Vector linear, softmax;  // d
};
Retrieved retrieve(const Matrix& prompt, double inverse_temperature) {
  const Index d = prompt.cols() / 2;
  const Index m = prompt.rows() - 1;
  const mhla::Prompts one = mhla::equal_prompts(prompt, m + 1);
  const Vector weights = mhla::softmax_retrieval_weights(prompt, inverse_temperature);
  return {mhla::memory_targets(one).row(0).tail(d).transpose(),
          prompt.topRightCorner(m, d).transpose() * weights};
}

struct Crosstalk {
  Directions keys;
  Index dimension;
  double inverse_temperature;
  std::vector<Index> sizes;  // pairs
  Index blocks;
  std::uint64_t seed;
};

// Errors of retrieval over prompts of every size; a record holds moments of the squared error of
// linear and softmax attention, six numbers a size.
class CrosstalkTask final : public Task {
 public:
  CrosstalkTask(const Crosstalk& setting, std::uint64_t block)
      : setting_(setting),
        stream_(setting.seed, stream_of({kCrosstalkStream, block})),
        linear_(setting.sizes.size()),
        softmax_(setting.sizes.size()) {}

  bool step() override {
    mhla::MemoryOptions options;
    options.key_dimension = setting_.dimension;
    options.pairs = setting_.sizes[next_];
    options.keys = setting_.keys;
    options.values = Directions::kGaussian;
    options.query_value = false;
    auto drawn = mhla::draw_memory_prompts(options, kPromptsPerBlock, stream_);
    scale_keys(setting_.keys, drawn.prompts.tokens);
    for (Index i = 0; i < kPromptsPerBlock; ++i) {
      const Matrix prompt = drawn.prompts.prompt(i);
      const Index asked = drawn.asked[static_cast<std::size_t>(i)];
      const Vector written = prompt.row(asked).tail(setting_.dimension).transpose();
      const Retrieved found = retrieve(prompt, setting_.inverse_temperature);
      const auto d = static_cast<double>(setting_.dimension);
      linear_[next_].add((found.linear - written).squaredNorm() / d);
      softmax_[next_].add((found.softmax - written).squaredNorm() / d);
    }
    return ++next_ == setting_.sizes.size();
  }
  double progress() const override {
    return static_cast<double>(next_) / static_cast<double>(setting_.sizes.size());
  }
  Record record() const override {
    Record record;
    for (std::size_t s = 0; s < linear_.size(); ++s)
      for (const Moments& moments : {linear_[s], softmax_[s]})
        for (const double number : {moments.count, moments.sum, moments.squares})
          record.push_back(number);
    return record;
  }

 private:
  const Crosstalk& setting_;
  RandomStream stream_;
  std::vector<Moments> linear_, softmax_;
  std::size_t next_ = 0;
};

class MemoryPlan final : public Plan {
 public:
  MemoryPlan(const Values& values, std::uint64_t seed)
      : keys_(mhla::directions(text(values, "keys"), "keys")),
        asked_(count(values, "asked") - 1),
        inverse_temperature_(number(values, "inverseTemperature")) {
    auto study = std::make_shared<MemoryStudy>();
    study->data.key_dimension = study->data.pairs = count(values, "keyDimension");
    study->data.gaussian_share = number(values, "gaussianShare");
    study->samples = count(values, "samples");
    study->null_size = number(values, "nullSize");
    study->prompt = make_prompt(values, seed);
    study->seed = seed;
    study_ = std::move(study);
    crosstalk_ = {keys_,
                  count(values, "keyDimension"),
                  inverse_temperature_,
                  {},
                  (count(values, "prompts") + kPromptsPerBlock - 1) / kPromptsPerBlock,
                  seed};
    for (const Index m : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})
      if (keys_ != Directions::kOrthogonal || m <= crosstalk_.dimension)
        crosstalk_.sizes.push_back(m);
  }

  std::size_t task_count() const override {
    return static_cast<std::size_t>(crosstalk_.blocks) + 1;
  }
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number == 0) return memory_task(study_);
    return std::make_unique<CrosstalkTask>(crosstalk_, number);
  }
  double cost(std::size_t number) const override {
    const auto d = static_cast<double>(2 * crosstalk_.dimension);
    return number == 0 ? 1 + static_cast<double>(study_->samples) * d * d * d * d * d * d / 1e7
                       : 1.0;
  }

  Tables summarise(std::span<const Record> records) const override {
    const Descriptor& descriptor = mhla_memory_descriptor();
    TableRows summary(descriptor, "summary"), weights(descriptor, "weights"),
        values(descriptor, "values"), diagonal(descriptor, "diagonal"),
        crosstalk(descriptor, "crosstalk");
    const Matrix& prompt = study_->prompt;
    const Index d = prompt.cols() / 2;
    const Index m = prompt.rows() - 1;
    const MemoryModel model = memory_model(*study_, records[0]);
    const bool learned = model.output.size() > 0;
    const Retrieved found = retrieve(prompt, inverse_temperature_);
    const Vector written = prompt.row(asked_).tail(d).transpose();
    const Vector truth = mhla::retrieval_weights(mhla::memory_heads(d), prompt);
    Vector softmax = Vector::Zero(m + 1);
    softmax.head(m) = mhla::softmax_retrieval_weights(prompt, inverse_temperature_);

    double low = written.minCoeff(), high = written.maxCoeff();
    const auto add = [&](const char* name, const Vector& weight, const Vector& retrieved) {
      for (Index j = 0; j <= m; ++j)
        weights.add({name, static_cast<double>(j + 1), weight(j)});
      for (Index c = 0; c < d; ++c)
        values.add({name, static_cast<double>(c + 1), written(c), retrieved(c)});
    };
    add("true head", truth, found.linear);
    if (learned) {
      add("learned, least norm", model.weights, model.output.tail(d));
      add("learned, null vector added", model.other_weights, model.other_output.tail(d));
    }
    add("softmax attention", softmax, found.softmax);
    if (!(low < high)) high = low + 1;
    for (const double end : {low, high})
      diagonal.add({end, end});

    Vector exact = Vector::Zero(2 * d);
    exact.tail(d) = found.linear;
    const auto if_learned = [learned](double value) { return learned ? value : kNaN; };
    summary.add({static_cast<double>(asked_ + 1), (found.linear - written).norm(),
                 learned ? (model.output - exact).norm() : kNaN,
                 learned ? (model.other_output - exact).norm() : kNaN,
                 (found.softmax - written).norm(), if_learned(model.determined ? 1.0 : 0.0),
                 if_learned(model.residual), if_learned(model.rank), if_learned(model.features),
                 if_learned(model.minimum_eigenvalue), if_learned(model.training_error),
                 if_learned(model.other_training_error)});
    add_crosstalk(records.subspan(1), crosstalk);
    return {summary.take(), weights.take(), values.take(), diagonal.take(), crosstalk.take()};
  }

 private:
  Matrix make_prompt(const Values& values, std::uint64_t seed) const {
    mhla::MemoryOptions options;
    options.key_dimension = count(values, "keyDimension");
    options.pairs = count(values, "pairs");
    options.keys = keys_;
    // As in the training data where the keys are.
    options.values =
        keys_ == Directions::kOrthogonal ? Directions::kOrthogonal : Directions::kGaussian;
    options.query_value = flag(values, "queryValue");
    if (asked_ >= options.pairs)
      fail(ErrorCode::kOutOfRange, "asked",
           "is " + std::to_string(asked_ + 1) + "; " + std::to_string(options.pairs) +
               " pairs are written");
    RandomStream stream(seed, stream_of({kPromptStream}));
    Matrix prompt = mhla::draw_memory_prompts(options, 1, stream).prompts.tokens;
    scale_keys(keys_, prompt);
    const Index d = options.key_dimension;
    const double noise = number(values, "keyNoise") / std::sqrt(static_cast<double>(d));
    prompt.row(options.pairs).head(d) =
        prompt.row(asked_).head(d) + noise * stream.gaussian_matrix(1, d);
    return prompt;
  }

  void add_crosstalk(std::span<const Record> records, TableRows& rows) const {
    for (std::size_t s = 0; s < crosstalk_.sizes.size(); ++s) {
      Moments linear, softmax;
      for (const Record& record : records) {
        if (record.empty()) continue;
        const double* six = &record[6 * s];
        linear.add(Moments{six[0], six[1], six[2]});
        softmax.add(Moments{six[3], six[4], six[5]});
      }
      if (!(linear.count > 0)) continue;
      const Estimate line = linear.root(), soft = softmax.root();
      rows.add({static_cast<double>(crosstalk_.sizes[s]), line.value, line.error, soft.value,
                soft.error,
                std::sqrt(mhla::crosstalk(keys_, crosstalk_.sizes[s], crosstalk_.dimension)),
                linear.count});
    }
  }

  Directions keys_;
  Index asked_;
  double inverse_temperature_;
  std::shared_ptr<const MemoryStudy> study_;
  Crosstalk crosstalk_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<MemoryPlan>(values, seed);
}

const Registration kRegistration(kMhlaMemory, mhla_memory_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
