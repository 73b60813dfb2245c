// Sums of a quantity over replicates, as they travel in a record.
#pragma once

#include <cmath>
#include <limits>

namespace attnlab::experiments {

struct Estimate {
  double value;
  double error;  // one standard error
};

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
  // Root of the mean, for a mean of squares; its error by the delta method.
  Estimate root() const {
    const Estimate square = mean();
    const double value = std::sqrt(square.value);
    return {value, value > 0 ? square.error / (2 * value) : 0.0};
  }
};

}  // namespace attnlab::experiments
