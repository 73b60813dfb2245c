#include <cmath>
#include <limits>

#include "core/portable.h"
#include "core/special.h"

namespace attnlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest entry; NaN where an entry is NaN, -Infinity where there is none.
double largest_entry(const VectorRef& x) {
  double largest = -kInfinity;
  for (Index i = 0; i < x.size(); ++i) {
    if (std::isnan(x(i))) return x(i);
    largest = x(i) > largest ? x(i) : largest;
  }
  return largest;
}

}  // namespace

double log_sum_exp(const VectorRef& x) {
  const double largest = largest_entry(x);
  if (!std::isfinite(largest)) return largest;
  double sum = 0;
  for (Index i = 0; i < x.size(); ++i)
    sum += portable::exp(x(i) - largest);
  return largest + portable::log(sum);
}

Vector softmax(const VectorRef& x) {
  const double largest = largest_entry(x);
  Vector result(x.size());
  double sum = 0;
  for (Index i = 0; i < x.size(); ++i) {
    // Equal infinities share the weight evenly.
    result(i) = x(i) == largest ? 1 : portable::exp(x(i) - largest);
    sum += result(i);
  }
  for (Index i = 0; i < x.size(); ++i)
    result(i) /= sum;
  return result;
}

double softplus(double x) {
  return x > 0 ? x + portable::log1p(portable::exp(-x)) : portable::log1p(portable::exp(x));
}

double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + portable::exp(-x));
  const double power = portable::exp(x);
  return power / (1 + power);
}

}  // namespace attnlab
