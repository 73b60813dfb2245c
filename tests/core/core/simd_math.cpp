#include "core/simd_math.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/portable.h"
#include "core/random.h"
#include "ulp.h"

using namespace attnlab;
using attnlab::tests::kReferenceUlp;
using attnlab::tests::ulps;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kInfinityF = std::numeric_limits<float>::infinity();

// Both lanes at once, different arguments in them.
double exp_lane(double x, int lane) {
  const simd::F64x2 both = lane == 0 ? simd::F64x2{x, 1} : simd::F64x2{1, x};
  return simd::exp(both)[lane];
}

float exp_lane(float x, int lane) {
  simd::F32x4 all{1, 2, 3, 4};
  all[lane] = x;
  return simd::exp(all)[lane];
}

}  // namespace

TEST_CASE("lanes are loaded, chosen, compared and summed where they belong") {
  const float memory[6] = {9, 1, 2, 3, 4, 9};
  const auto loaded = simd::load<simd::F32x4>(memory + 1);
  CHECK(simd::sum(loaded) == 10);
  CHECK(simd::largest(loaded) == 4);
  CHECK(simd::largest(simd::F32x4{-1, -2, -3, -4}) == -1);
  CHECK(simd::largest(simd::F64x2{-7, -5}) == -5);
  CHECK(simd::sum(simd::F64x2{-7, 5}) == -2);
  float stored[6] = {};
  simd::store(stored + 1, loaded);
  CHECK(std::equal(memory + 1, memory + 5, stored + 1));
  CHECK(stored[0] == 0);
  CHECK(stored[5] == 0);
  const simd::F64x2 a{1, -2};
  const simd::F64x2 b{-1, 3};
  CHECK(simd::max(a, b)[0] == 1);
  CHECK(simd::max(a, b)[1] == 3);
  CHECK(simd::min(a, b)[0] == -1);
  CHECK(simd::min(a, b)[1] == -2);
  CHECK(simd::sqrt(simd::F64x2{9, 2})[1] == std::sqrt(2.0));
  CHECK(std::isnan(simd::max(simd::splat(std::nan("")), a)[0]));
  CHECK(simd::max(a, simd::splat(std::nan("")))[1] == -2);
  CHECK(simd::select(simd::I64x2{-1, 0}, a, b)[0] == 1);
  CHECK(simd::select(simd::I64x2{-1, 0}, a, b)[1] == 3);
}

TEST_CASE("a multiply-add of whole numbers is exact in every build") {
  const simd::F32x4 f =
      simd::multiply_add(simd::F32x4{1, 2, 3, 4}, simd::F32x4{5, 6, 7, 8}, simd::splat(1.0F));
  CHECK(f[0] == 6);
  CHECK(f[3] == 33);
  const simd::F64x2 d = simd::multiply_add(simd::F64x2{1, 2}, simd::F64x2{5, 6}, simd::splat(-1.0));
  CHECK(d[0] == 4);
  CHECK(d[1] == 11);
}

TEST_CASE("exp of two doubles has the bits of portable::exp") {
  RandomStream stream(67, 0);
  std::vector<double> arguments{0.0,    -0.0, 1e-320, -1e-320,   709.8,      710,   711,   -708.5,
                                -745.2, -746, -747,   kInfinity, -kInfinity, 1e308, -1e308};
  for (int i = 0; i < 40000; ++i)
    arguments.push_back((i % 2 == 0 ? 800 : 2) * (2 * stream.uniform() - 1));
  bool same = true;
  for (const double x : arguments)
    for (const int lane : {0, 1})
      same = same && std::bit_cast<std::uint64_t>(exp_lane(x, lane)) ==
                         std::bit_cast<std::uint64_t>(portable::exp(x));
  CHECK(same);
  CHECK(std::isnan(exp_lane(std::nan(""), 1)));
}

TEST_CASE("exp of four floats is within 1.1 ulp, down to subnormal results") {
  RandomStream stream(71, 0);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double range = i % 3 == 0 ? 1 : 104;
    const auto x = static_cast<float>(range * (2 * stream.uniform() - 1));
    worst = std::max(worst, ulps(exp_lane(x, i % 4), std::exp(static_cast<long double>(x))));
  }
  CHECK(worst < 1.1);
  CHECK(exp_lane(0.0F, 0) == 1);
  CHECK(exp_lane(88.72283F, 1) < kInfinityF);
  CHECK(exp_lane(88.722845F, 1) == kInfinityF);
  CHECK(exp_lane(-103.9F, 2) == 0x1p-149F);
  CHECK(exp_lane(-104.0F, 2) == 0);
  CHECK(exp_lane(-1e30F, 3) == 0);
  CHECK(exp_lane(kInfinityF, 3) == kInfinityF);
  CHECK(exp_lane(-kInfinityF, 3) == 0);
  CHECK(std::isnan(exp_lane(std::nanf(""), 3)));
}

TEST_CASE("the fast exponential is within 1.1 ulp below 0 and ends in 0") {
  RandomStream stream(73, 0);
  double worst_double = 0;
  double worst_float = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = -(i % 3 == 0 ? 1 : 708) * stream.uniform();
    const auto xf = static_cast<float>(-(i % 3 == 0 ? 1 : 87) * stream.uniform());
    worst_double = std::max(worst_double, ulps(simd::exp_nonpositive_fast(simd::F64x2{-1, x})[1],
                                               std::exp(static_cast<long double>(x))));
    worst_float =
        std::max(worst_float, ulps(simd::exp_nonpositive_fast(simd::F32x4{-1, -2, xf, -3})[2],
                                   std::exp(static_cast<long double>(xf))));
  }
  CHECK(worst_double < 1.1 + kReferenceUlp);
  CHECK(worst_float < 1.1);
  // The last results before 0 are subnormal, to within one step between such numbers.
  for (const float x : {-87.34F, -87.5F, -87.68F})
    CHECK(std::abs(simd::exp_nonpositive_fast(simd::splat(x))[2] -
                   std::exp(static_cast<long double>(x))) <= 0x1p-149L);
  for (const double x : {-708.4, -708.6, -708.74})
    CHECK(std::abs(simd::exp_nonpositive_fast(simd::splat(x))[1] -
                   std::exp(static_cast<long double>(x))) <= 0x1p-1074L);
  for (const double x : {-708.75, -709.0, -1e4, -1e308, -kInfinity})
    CHECK(simd::exp_nonpositive_fast(simd::F64x2{x, 0})[0] == 0);
  for (const float x : {-87.7F, -88.0F, -1e4F, -1e38F, -kInfinityF})
    CHECK(simd::exp_nonpositive_fast(simd::F32x4{0, x, 0, 0})[1] == 0);
  CHECK(simd::exp_nonpositive_fast(simd::splat(0.0))[1] == 1);
  CHECK(simd::exp_nonpositive_fast(simd::splat(-0.0F))[3] == 1);
}

TEST_CASE("log1p of two numbers from 0 to 1 is within 1 ulp") {
  RandomStream stream(79, 0);
  double worst = 0;
  for (int i = 0; i < 50000; ++i) {
    const double x = i % 2 == 0 ? stream.uniform() : std::exp(-36 * stream.uniform());
    const double value = simd::log1p_of_unit(simd::F64x2{0.5, x})[1];
    worst = std::max(worst, ulps(value, std::log1p(static_cast<long double>(x))));
    CHECK(value == portable::log1p(x));
  }
  CHECK(worst < 1 + kReferenceUlp);
  CHECK(simd::log1p_of_unit(simd::splat(1e-300))[0] == 1e-300);
  CHECK(simd::log1p_of_unit(simd::splat(0.0))[0] == 0);
}
