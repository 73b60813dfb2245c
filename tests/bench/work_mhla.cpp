#include "work_mhla.h"

#include <Eigen/Dense>
#include <algorithm>

#include "core/random.h"
#include "mhla/feature_moments.h"
#include "mhla/features.h"

namespace attnlab::bench {
namespace {

constexpr Index kLength = 16;  // tokens of a prompt

mhla::Samples draw_samples(Index count, Index d) {
  RandomStream random(21, 1);
  return mhla::last_samples(
      mhla::equal_prompts(random.gaussian_matrix(count * kLength, d), kLength));
}

std::vector<double> numbers(const Eigen::MatrixXd& matrix) {
  return std::vector<double>(matrix.data(), matrix.data() + matrix.size());
}

class Gram final : public Work {
 public:
  Gram(Index count, Index d) : samples_(draw_samples(count, d)), d_(d) {}
  void run() override {
    mhla::FeatureMoments moments(d_, 0);
    moments.add(samples_, Matrix(samples_.count(), 0), Vector(), 0, samples_.count());
    gram_ = moments.gram();
  }
  std::vector<double> result() const override { return numbers(gram_); }

 private:
  mhla::Samples samples_;
  Index d_;
  Eigen::MatrixXd gram_;
};

class EigenGram final : public Work {
 public:
  EigenGram(Index count, Index d) : samples_(draw_samples(count, d)), d_(d) {}
  void run() override {
    constexpr Index kBlock = 256;  // features of a block, 600 KiB at d = 8, stay in cache
    const Index psi = mhla::feature_count(d_);
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(psi, psi);
    // A sample a column: each is written in one piece.
    Eigen::MatrixXd block(psi, kBlock);
    for (Index first = 0; first < samples_.count(); first += kBlock) {
      const Index count = std::min(kBlock, samples_.count() - first);
      for (Index b = 0; b < count; ++b)
        mhla::write_features(samples_.grams.row(first + b).data(),
                             samples_.queries.row(first + b).data(), d_, 1, block.col(b).data());
      sum.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(count));
    }
    gram_ = sum.selfadjointView<Eigen::Lower>();
  }
  std::vector<double> result() const override { return numbers(gram_); }

 private:
  mhla::Samples samples_;
  Index d_;
  Eigen::MatrixXd gram_;
};

}  // namespace

std::unique_ptr<Work> make_gram(int samples, int dimension) {
  return std::make_unique<Gram>(samples, dimension);
}
std::unique_ptr<Work> make_eigen_gram(int samples, int dimension) {
  return std::make_unique<EigenGram>(samples, dimension);
}

}  // namespace attnlab::bench
