// Sums of a quantity over replicates, as they travel in a record.
#pragma once

#include <cmath>
#include <limits>

namespace attnlab::experiments {

struct Estimate {
  double value;
  double error;  // one standard error
};

// Root of a mean of squares; its error by the delta method.
inline Estimate root_of(const Estimate& square) {
  const double value = std::sqrt(square.value);
  return {value, value > 0 ? square.error / (2 * value) : 0.0};
}

// count, sum and sum of squares. Adding two of them in a fixed order gives the same bits however
// the replicates were shared out.
struct Moments {
  double count = 0;
  double sum = 0;
  double squares = 0;

  void add(double value) {
    count += 1;
    sum += value;
    squares += value * value;
  }
  void add(const Moments& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
  }
  // NaN for no replicate; the error is NaN for fewer than two.
  Estimate mean() const {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    if (!(count > 0)) return {kNaN, kNaN};
    const double value = sum / count;
    if (count < 2) return {value, kNaN};
    const double variance = std::fmax(0, (squares / count - value * value) * count / (count - 1));
    return {value, std::sqrt(variance / count)};
  }
  Estimate root() const { return root_of(mean()); }
};

// Of replicates whose values depend on each other: the mean over all values, its error from the
// replicates.
class ClusteredMoments {
 public:
  void add(const Moments& replicate) {
    replicates_ += 1;
    total_.add(replicate);
    counts_ += replicate.count * replicate.count;
    sums_ += replicate.sum * replicate.sum;
    products_ += replicate.count * replicate.sum;
  }
  // A ratio of two sums over replicates; its error by the delta method.
  Estimate mean() const {
    Estimate result = total_.mean();
    const double m = result.value;
    const double residual = std::fmax(0, sums_ - 2 * m * products_ + m * m * counts_);
    result.error = replicates_ < 2
                       ? std::numeric_limits<double>::quiet_NaN()
                       : std::sqrt(residual * replicates_ / (replicates_ - 1)) / total_.count;
    return result;
  }
  Estimate root() const { return root_of(mean()); }

 private:
  Moments total_;
  double replicates_ = 0;
  double counts_ = 0, sums_ = 0, products_ = 0;  // sums of squares and of products
};

}  // namespace attnlab::experiments
