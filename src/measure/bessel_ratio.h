// What rotation-invariant measures need of modified Bessel functions.
#pragma once

namespace attnlab::measure {

// I_nu(k) / I_{nu - 1}(k), nu >= 1/2, k >= 0, by the backward recurrence
// r_nu = k / (2 nu + k r_{nu + 1}), which damps errors (Amos, Math. Comp. 28, 1974); for k > 1e5 by
// its expansion in 1 / k. Relative error below 1e-14 for nu up to 50. Cost about k + 60 divisions.
double bessel_ratio(double nu, double k);
// 1 - bessel_ratio, and the derivative of bessel_ratio in k, without the ones also for large k.
double bessel_ratio_complement(double nu, double k);
double bessel_ratio_slope(double nu, double k);

// log 0F1(; nu; k^2 / 4) = log (Gamma(nu) (2 / k)^{nu - 1} I_{nu - 1}(k)), nu >= 1/2, k >= 0: the
// log-moment-generating function of the unit sphere in dimension 2 nu. Absolute error below
// 1e-13 (1 + k).
double log_bessel_partition(double nu, double k);
// The same less k, which for large k is nearly all of it.
double log_bessel_excess(double nu, double k);

}  // namespace attnlab::measure
