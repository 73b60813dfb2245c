#include <array>
#include <cmath>
#include <limits>

#include "core/polynomial.h"
#include "core/portable.h"
#include "core/special.h"

namespace attnlab {
namespace {

// log Gamma(2 + t) / t on |t| <= 1/2, interpolated at Chebyshev's points; error below 2^-54.
constexpr std::array<double, 21> kNearTwo{
    0.42278433509846713,    0.3224670334241132,      -0.06735230105319809,
    0.02058080842778463,    -0.007385551028674025,   0.0028905103307344045,
    -0.0011927539116998527, 0.0005096695250241955,   -0.00022315475858818615,
    9.94575066878814e-05,   -4.4926233820610826e-05, 2.0507291996563825e-05,
    -9.439526202058818e-06, 4.374223481082048e-06,   -2.0389077825677104e-06,
    9.584207048594987e-07,  -4.508168225446838e-07,  2.0193835401136915e-07,
    -9.558178101635195e-08, 6.472569840064724e-08,   -3.085985478390577e-08};

// Stirling's remainder times x, in powers of 1 / x^2, for x >= 10; error below 2^-57.
constexpr std::array<double, 8> kStirling{
    0.08333333333333333,   -0.0027777777777777727, 0.0007936507936397281, -0.0005952380863358808,
    0.0008417473113234561, -0.001916761850075022,  0.006317285484963619,  -0.023489401663278297};

constexpr double kHalfLogTwoPi = 0.9189385332046728;

double log_gamma_of_two_plus(double t) {
  return t * polynomial(t, kNearTwo);
}

}  // namespace

double log_gamma(double x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(x > 0)) return x == 0 ? kInfinity : std::numeric_limits<double>::quiet_NaN();
  if (x == kInfinity) return x;
  if (x < 0.5) return log_gamma_of_two_plus(x) - portable::log1p(x) - portable::log(x);
  if (x < 1.5) return log_gamma_of_two_plus(x - 1) - portable::log1p(x - 1);
  if (x >= 10) {
    const double inverse = 1 / x;
    return (x - 0.5) * (portable::log(x) - 1) + (kHalfLogTwoPi - 0.5) +
           inverse * polynomial(inverse * inverse, kStirling);
  }
  // Gamma(x) = (x - 1) (x - 2) ... Gamma(2 + t).
  double product = 1;
  while (x > 2.5) {
    x -= 1;
    product *= x;
  }
  return log_gamma_of_two_plus(x - 2) + portable::log(product);
}

}  // namespace attnlab
