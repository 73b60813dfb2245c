#include "work.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "attention/attention.h"
#include "core/random.h"
#include "work_mhla.h"
#include "work_needle.h"

namespace attnlab::bench {
namespace {

constexpr std::uint64_t kSeed = 20;

template <class Matrix>
std::vector<double> numbers(const Matrix& matrix) {
  return std::vector<double>(matrix.data(), matrix.data() + matrix.size());
}

template <class Scalar>
class Attention : public Work {
 public:
  Attention(int n, int d, attention::Kernel kernel)
      : queries_(draw(n, d, 1)), keys_(draw(n, d, 2)), values_(draw(n, d, 3)) {
    options_.kernel = kernel;
    options_.scale = 1 / std::sqrt(static_cast<double>(d));
  }
  std::vector<std::vector<double>> inputs() const override {
    return {numbers(queries_), numbers(keys_), numbers(values_)};
  }

 protected:
  static MatrixOf<Scalar> draw(int n, int d, std::uint64_t stream) {
    RandomStream random(kSeed, stream);
    return random.gaussian_matrix(n, d).cast<Scalar>();
  }

  MatrixOf<Scalar> queries_, keys_, values_;
  attention::Options options_;
};

template <class Scalar>
class Forward final : public Attention<Scalar> {
 public:
  using Attention<Scalar>::Attention;
  void run() override {
    output_ = attention::forward<Scalar>(this->queries_, this->keys_, this->values_,
                                         VectorOf<Scalar>(), this->options_);
  }
  std::vector<double> result() const override { return numbers(output_); }

 private:
  MatrixOf<Scalar> output_;
};

template <class Scalar>
class Gradient final : public Attention<Scalar> {
 public:
  Gradient(int n, int d)
      : Attention<Scalar>(n, d, attention::Kernel::kSoftmax), given_(this->draw(n, d, 4)) {}
  void run() override {
    gradient_ = attention::gradient<Scalar>(this->queries_, this->keys_, this->values_,
                                            VectorOf<Scalar>(), given_, this->options_);
  }
  std::vector<double> result() const override { return numbers(gradient_.queries); }

 private:
  MatrixOf<Scalar> given_;
  attention::Gradient<Scalar> gradient_;
};

class Gaussians final : public Work {
 public:
  explicit Gaussians(int count) : numbers_(static_cast<std::size_t>(count)) {}
  void run() override {
    RandomStream random(kSeed, 1);
    random.fill_gaussian(numbers_);
  }
  std::vector<double> result() const override { return numbers_; }

 private:
  std::vector<double> numbers_;
};

}  // namespace

std::unique_ptr<Work> make_work(std::string_view name, int n, int d) {
  using attention::Kernel;
  if (name == "forward-f32") return std::make_unique<Forward<float>>(n, d, Kernel::kSoftmax);
  if (name == "forward-f64") return std::make_unique<Forward<double>>(n, d, Kernel::kSoftmax);
  if (name == "linear-f32") return std::make_unique<Forward<float>>(n, d, Kernel::kLinear);
  if (name == "linear-f64") return std::make_unique<Forward<double>>(n, d, Kernel::kLinear);
  if (name == "gradient-f32") return std::make_unique<Gradient<float>>(n, d);
  if (name == "gradient-f64") return std::make_unique<Gradient<double>>(n, d);
  if (name == "gaussians") return std::make_unique<Gaussians>(n);
  if (name == "gram") return make_gram(n, d);
  if (name == "gram-eigen") return make_eigen_gram(n, d);
  if (name == "needle-gradient") return make_needle_gradient(n, d);
  throw std::invalid_argument("no work is named " + std::string(name));
}

}  // namespace attnlab::bench
