#include "experiments/memory_model.h"

#include <utility>

#include "core/random.h"
#include "mhla/certificate.h"
#include "mhla/features.h"
#include "mhla/fit.h"
#include "mhla/heads.h"
#include "mhla/parameters.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kDataStream = 0xa3;
constexpr std::uint64_t kNullStream = 0xa4;

class MemoryTask final : public Task {
 public:
  explicit MemoryTask(std::shared_ptr<const MemoryStudy> study) : study_(std::move(study)) {}

  bool step() override {
    if (!fit_) {
      begin();
      return false;
    }
    if (!fitted_) {
      fitted_ = fit_->step();
      return false;
    }
    if (!certificate_->step()) return false;
    finish();
    return true;
  }
  double progress() const override {
    if (!record_.empty()) return 1;
    return fit_ ? 0.5 * fit_->progress() + 0.49 * certificate_->progress() : 0.0;
  }
  Record record() const override { return record_; }

 private:
  void begin() {
    RandomStream stream(study_->seed, stream_of({kDataStream}));
    const auto drawn = mhla::draw_memory_prompts(study_->data, study_->samples, stream);
    samples_ = mhla::last_samples(drawn.prompts);
    targets_ = mhla::memory_targets(drawn.prompts);
    mhla::FitOptions options;
    options.heads = false;
    fit_ = std::make_unique<mhla::Fit>(samples_, targets_, options);
    certificate_ = std::make_unique<mhla::Certificate>(samples_);
  }

  void finish() {
    const mhla::FitResult& fit = fit_->result();
    const mhla::CertificateResult& certificate = certificate_->result();
    Matrix other = fit.coefficients;
    if (certificate.null_space.cols() > 0) {
      RandomStream stream(study_->seed, stream_of({kNullStream}));
      Matrix null = stream.gaussian_matrix(other.rows(), certificate.null_space.cols()) *
                    certificate.null_space.transpose();
      other += study_->null_size / null.norm() * null;
    }
    const Matrix alone[] = {study_->prompt};
    const mhla::Samples asked = mhla::last_samples(mhla::join_prompts(alone, "prompt"));
    const mhla::PerInput here = certificate_->at(asked, 0);
    const double scale = fit.target_variance;
    record_ = {here.determined ? 1.0 : 0.0,
               here.residual,
               static_cast<double>(certificate.rank),
               static_cast<double>(certificate.dimension),
               certificate.minimum_eigenvalue,
               fit.training_error / scale,
               (predict(other, samples_) - targets_).squaredNorm() /
                   static_cast<double>(samples_.count()) / scale};
    for (const Matrix& coefficients : {fit.coefficients, other}) {
      append(predict(coefficients, asked).row(0).transpose());
      const Index d = study_->prompt.cols();
      append(mhla::retrieval_weights(mhla::split_heads(mhla::symmetric_w(coefficients, d), d).heads,
                                     study_->prompt));
    }
  }
  void append(const Vector& numbers) {
    record_.insert(record_.end(), numbers.data(), numbers.data() + numbers.size());
  }

  std::shared_ptr<const MemoryStudy> study_;
  mhla::Samples samples_;
  Matrix targets_;
  std::unique_ptr<mhla::Fit> fit_;
  bool fitted_ = false;
  std::unique_ptr<mhla::Certificate> certificate_;
  Record record_;
};

}  // namespace

std::unique_ptr<Task> memory_task(std::shared_ptr<const MemoryStudy> study) {
  return std::make_unique<MemoryTask>(std::move(study));
}

MemoryModel memory_model(const MemoryStudy& study, const Record& record) {
  MemoryModel model;
  if (record.empty()) return model;
  model.determined = record[0] == 1;
  model.residual = record[1];
  model.rank = record[2];
  model.features = record[3];
  model.minimum_eigenvalue = record[4];
  model.training_error = record[5];
  model.other_training_error = record[6];
  const double* next = record.data() + 7;
  const auto take = [&next](Index size) {
    Vector numbers = Eigen::Map<const Vector>(next, size);
    next += size;
    return numbers;
  };
  model.output = take(study.prompt.cols());
  model.weights = take(study.prompt.rows());
  model.other_output = take(study.prompt.cols());
  model.other_weights = take(study.prompt.rows());
  return model;
}

}  // namespace attnlab::experiments
