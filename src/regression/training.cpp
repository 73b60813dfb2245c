#include "regression/training.h"

#include <cmath>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::regression {
namespace {

constexpr std::uint64_t kBatchStream = 0x90;
// AdamW's usual constants.
constexpr double kFirstDecay = 0.9;
constexpr double kSecondDecay = 0.999;
constexpr double kEpsilon = 1e-8;

}  // namespace

HeadTraining::HeadTraining(const TrainingOptions& options, const Head& start)
    : options_(options), head_(start) {
  require_finite(start.A, "A");
  require_finite(start.b, "b");
  require_range(options.rate, 1e-12, 1e12, "rate");
  require_range(static_cast<double>(options.batch), 1, 1e7, "batch");
  require_range(static_cast<double>(options.length), 1, 1e7, "length");
  if (options.trainer == Trainer::kFlow) frozen_ = batch_of(0);
  const Matrix zero = Matrix::Zero(start.A.rows(), start.A.cols());
  first_ = second_ = {zero, 0};
}

Prompts HeadTraining::batch_of(Index step) const {
  RandomStream random(options_.seed,
                      stream_of({kBatchStream, options_.stream, static_cast<std::uint64_t>(step)}));
  return draw_prompts(options_.law, options_.batch, options_.length, random);
}

bool HeadTraining::step() {
  const bool flow = options_.trainer == Trainer::kFlow;
  const HeadGradient slope = finite_prompt(flow ? frozen_ : batch_of(steps_), head_);
  Head next = head_;
  if (options_.trainer == Trainer::kAdamW) {
    const auto t = static_cast<double>(steps_ + 1);
    const double first_size = 1 - portable::pow(kFirstDecay, t);
    const double second_size = 1 - portable::pow(kSecondDecay, t);
    const auto update = [&](double& weight, double& first, double& second, double gradient) {
      first = kFirstDecay * first + (1 - kFirstDecay) * gradient;
      second = kSecondDecay * second + (1 - kSecondDecay) * gradient * gradient;
      weight -= options_.rate * (options_.weight_decay * weight +
                                 first / first_size / (std::sqrt(second / second_size) + kEpsilon));
    };
    for (Index i = 0; i < next.A.size(); ++i)
      update(next.A.data()[i], first_.A.data()[i], second_.A.data()[i], slope.A.data()[i]);
    update(next.b, first_.b, second_.b, slope.b);
  } else {
    next.A -= options_.rate * slope.A;
    next.b -= options_.rate * slope.b;
  }
  if (!next.A.allFinite() || !std::isfinite(next.b) || !std::isfinite(slope.loss)) return false;
  head_ = next;
  loss_ = slope.loss;
  ++steps_;
  return true;
}

}  // namespace attnlab::regression
