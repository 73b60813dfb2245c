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

Head HeadTraining::flowed() {
  const auto slope = [&](const Head& head) {
    return finite_prompt_risk(options_.law, frozen_, head);
  };
  const auto moved = [&](const HeadGradient& along, double share) {
    return Head{head_.A - share * options_.rate * along.A,
                head_.b - share * options_.rate * along.b};
  };
  const HeadGradient first = slope(head_);
  loss_ = first.loss;
  HeadGradient sum = first;
  const auto take = [&](const Head& head, double weight) {
    HeadGradient next = {0, Matrix::Constant(head.A.rows(), head.A.cols(), std::nan("")), 0};
    if (head.A.allFinite() && std::isfinite(head.b)) next = slope(head);
    sum.A += weight * next.A;
    sum.b += weight * next.b;
    return next;
  };
  const HeadGradient second = take(moved(first, 0.5), 2);
  const HeadGradient third = take(moved(second, 0.5), 2);
  take(moved(third, 1), 1);
  return moved(sum, 1.0 / 6);
}

Head HeadTraining::trained() {
  const HeadGradient slope = finite_prompt(batch_of(steps_), head_);
  loss_ = slope.loss;
  Head next = head_;
  if (options_.trainer == Trainer::kDescent) {
    next.A -= options_.rate * slope.A;
    next.b -= options_.rate * slope.b;
    return next;
  }
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
  return next;
}

bool HeadTraining::step() {
  const double loss = loss_;
  const Head next = options_.trainer == Trainer::kFlow ? flowed() : trained();
  if (!next.A.allFinite() || !std::isfinite(next.b) || !std::isfinite(loss_)) {
    loss_ = loss;
    return false;
  }
  head_ = next;
  ++steps_;
  return true;
}

}  // namespace attnlab::regression
