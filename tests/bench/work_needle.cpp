#include "work_needle.h"

#include "core/random.h"
#include "needle/predictor.h"

namespace attnlab::bench {
namespace {

constexpr Index kLength = 16;

class NeedleGradient final : public Work {
 public:
  NeedleGradient(Index prompts, Index dimension) : dimension_(dimension) {
    RandomStream random(22, 1);
    tokens_ = random.gaussian_matrix(prompts * kLength, dimension);
    labels_ = random.gaussian_vector(prompts);
    key_ = random.gaussian_vector(dimension);
    value_ = random.gaussian_vector(dimension);
  }
  void run() override {
    gradient_ = Vector::Zero(2 * dimension_);
    for (Index i = 0; i < labels_.size(); ++i) {
      const auto found = needle::predict_gradient(
          needle::Kernel::kSoftmax, tokens_.middleRows(i * kLength, kLength), key_, value_);
      const double miss = found.prediction - labels_(i);
      gradient_.head(dimension_) += miss * found.key;
      gradient_.tail(dimension_) += miss * found.value;
    }
  }
  std::vector<double> result() const override {
    return std::vector<double>(gradient_.begin(), gradient_.end());
  }
  std::vector<std::vector<double>> inputs() const override {
    const auto numbers = [](const auto& of) {
      return std::vector<double>(of.data(), of.data() + of.size());
    };
    return {numbers(tokens_), numbers(labels_), numbers(key_), numbers(value_)};
  }

 private:
  Index dimension_;
  Matrix tokens_;
  Vector labels_, key_, value_, gradient_;
};

}  // namespace

std::unique_ptr<Work> make_needle_gradient(int prompts, int dimension) {
  return std::make_unique<NeedleGradient>(prompts, dimension);
}

}  // namespace attnlab::bench
