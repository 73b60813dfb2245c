#include "needle/bayes_output.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/portable.h"
#include "core/require.h"
#include "needle/predictor.h"

namespace attnlab::needle {

void validate_bayes(const Problem& problem) {
  validate(problem);
  if (!problem.lengths.fixed()) fail(ErrorCode::kDomain, "length", "one length is expected");
  require_range(static_cast<double>(problem.lengths.minimum), 1,
                static_cast<double>(kLargestEvolutionLength), "length");
  if (problem.model == Model::kMax && !std::isinf(problem.snr))
    fail(ErrorCode::kDomain, "snr",
         "the Bayes-optimal equations for max are known here for nu = Infinity only");
}

BayesOutput::BayesOutput(const Problem& problem, double key_variance, double value_variance)
    : length_(problem.lengths.minimum),
      key_variance_(std::max(key_variance, 1e-9)),
      label_variance_(std::max(problem.noise * problem.noise + value_variance, 1e-10)) {
  validate_bayes(problem);
  if (problem.model == Model::kSpiked)
    root_snr_ = std::sqrt(problem.snr);
  else
    argmax_.emplace(length_, key_variance_);
}

void BayesOutput::see_keys(const double* key_field, Prior& prior) const {
  if (argmax_) argmax_->with_slopes(key_field, prior.probabilities, prior.slopes);
}

void BayesOutput::operator()(const Fields& fields, double* key_pull, double* value_pull) const {
  Prior prior;
  see_keys(fields.key, prior);
  pull(prior, fields, key_pull, value_pull);
}

void BayesOutput::pull(const Prior& prior, const Fields& fields, double* key_pull,
                       double* value_pull) const {
  double logs[kLargestEvolutionLength], posterior[kLargestEvolutionLength];
  const double* prior_mass = prior.probabilities;
  const double* slopes = prior.slopes;
  for (Index l = 0; l < length_; ++l) {
    const double miss = fields.label - fields.value[l];
    logs[l] = (argmax_ ? portable::log(prior_mass[l]) : root_snr_ * fields.key[l]) -
              miss * miss / (2 * label_variance_);
  }
  attend(Kernel::kSoftmax, 0, logs, length_, posterior);
  for (Index l = 0; l < length_; ++l) {
    value_pull[l] = posterior[l] * (fields.label - fields.value[l]) / label_variance_;
    key_pull[l] = root_snr_ * posterior[l];
  }
  if (!argmax_) return;
  for (Index e = 0; e < length_; ++e)
    for (Index l = 0; l < length_; ++l)
      key_pull[l] += posterior[e] / prior_mass[e] * slopes[e * length_ + l];
}

BayesOutput::Excess BayesOutput::excess(const Fields& fields, const double* key_pull,
                                        const double* value_pull) const {
  Excess sums{0, -1 / label_variance_};
  for (Index l = 0; l < length_; ++l) {
    if (argmax_) sums.key -= fields.key[l] * key_pull[l] / key_variance_;
    sums.value += value_pull[l] * (fields.label - fields.value[l]) / label_variance_;
  }
  return sums;
}

void BayesOutput::prior(const double* key_field, double* probabilities) const {
  if (argmax_) return argmax_->probabilities(key_field, probabilities);
  double logs[kLargestEvolutionLength];
  for (Index l = 0; l < length_; ++l)
    logs[l] = root_snr_ * key_field[l];
  attend(Kernel::kSoftmax, 0, logs, length_, probabilities);
}

}  // namespace attnlab::needle
