// attnlab_accuracy
//
// Measures the special functions and the quadrature rules of src/core against wider arithmetic and
// prints a line for each: name, range, number of points, largest error, its unit and the source,
// with tabs between. tools/accuracy.mjs makes the table of them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <numbers>
#include <vector>

#include "../core/core/ulp.h"
#include "core/gaussian_pair.h"
#include "core/portable.h"
#include "core/quadrature.h"
#include "core/random.h"
#include "core/simd_math.h"
#include "core/special.h"

namespace {

using namespace attnlab;
using attnlab::tests::ulps;
using Points = std::vector<double>;

#if __LDBL_MANT_DIG__ == 113
using Quad = long double;
#else
using Quad = __float128;
#endif

#if __LDBL_MANT_DIG__ == 64
constexpr const char* kWide = "long double (64 bits)";
#else
constexpr const char* kWide = "long double";
#endif
constexpr const char* kQuad = "quad (113 bits)";

void report(const char* name, const char* range, std::size_t count, double error, const char* unit,
            const char* source) {
  std::printf("%s\t%s\t%zu\t%.6e\t%s\t%s\n", name, range, count, error, unit, source);
}

// --- Points

Points uniform(double lower, double upper, int count) {
  RandomStream stream(101, static_cast<std::uint64_t>(count));
  Points points{lower, upper};
  for (int i = 0; i < count; ++i)
    points.push_back(lower + (upper - lower) * stream.uniform());
  return points;
}

// `each` points in every binade from 2^lower on and below 2^upper, of both signs where asked.
Points binades(int lower, int upper, int each, bool both_signs) {
  RandomStream stream(103, 0);
  Points points;
  for (int exponent = lower; exponent < upper; ++exponent) {
    for (int i = 0; i < each; ++i) {
      const double value = std::ldexp(1 + (i == 0 ? 0 : stream.uniform()), exponent);
      points.push_back(value);
      if (both_signs) points.push_back(-value);
    }
  }
  return points;
}

// --- Functions of one variable

template <class Function, class Reference>
void measure(const char* name, const char* range, const Points& points, Function function,
             Reference reference) {
  double worst = 0;
  for (const double x : points) {
    const double error = ulps(function(x), reference(static_cast<long double>(x)));
    if (!(error <= worst)) worst = error;
  }
  report(name, range, points.size(), worst, "ulp", kWide);
}

// e^(-x^2 / 2): the square as a sum of two numbers, since its rounding would be seen in the tails.
long double gaussian_factor(long double x) {
  const long double square = x * x;
  const long double rest = std::fma(x, x, -square);
  return std::exp(-square / 2) * (1 - rest / 2);
}

long double wide_density(long double x) {
  return gaussian_factor(x) / std::sqrt(2 * std::numbers::pi_v<long double>);
}

// erfc(z) / 2 with z = -x / sqrt(2), corrected for what z and the root lose by rounding.
long double wide_cdf(long double x) {
  const long double root = std::numbers::sqrt2_v<long double>;
  const long double root_rest = -std::fma(root, root, -2.0L) / (2 * root);
  const long double z = -x / root;
  const long double z_rest = -(std::fma(z, root, x) + z * root_rest) / root;
  const long double slope = gaussian_factor(x) / std::sqrt(std::numbers::pi_v<long double>);
  return std::erfc(z) / 2 - slope * z_rest;
}

// Newton's method from the double result.
long double wide_quantile(long double p) {
  long double x = normal_quantile(static_cast<double>(p));
  for (int step = 0; step < 3; ++step)
    x -= (wide_cdf(x) - p) / wide_density(x);
  return x;
}

void measure_portable() {
  using LD = long double;
  const char* tiny = "2^-1074 to 2^9, both signs";
  const Points small = binades(-1074, 9, 16, true);
  measure("exp", "-745 to 709.7", uniform(-745, 709.7, 400000), portable::exp,
          [](LD x) { return std::exp(x); });
  measure("exp", "-1 to 1", uniform(-1, 1, 400000), portable::exp,
          [](LD x) { return std::exp(x); });
  measure("expm1", "-60 to 709.7", uniform(-60, 709.7, 400000), portable::expm1,
          [](LD x) { return std::expm1(x); });
  measure("expm1", tiny, small, portable::expm1, [](LD x) { return std::expm1(x); });
  measure("log", "2^-1074 to 2^1024", binades(-1074, 1024, 100, false), portable::log,
          [](LD x) { return std::log(x); });
  measure("log", "1/2 to 2", uniform(0.5, 2, 400000), portable::log,
          [](LD x) { return std::log(x); });
  measure("log1p", "-1 + 1e-12 to 1", uniform(-1 + 1e-12, 1, 400000), portable::log1p,
          [](LD x) { return std::log1p(x); });
  measure("log1p", "2^-1074 to 2^1024", binades(-1074, 1024, 100, false), portable::log1p,
          [](LD x) { return std::log1p(x); });
  measure("sin", "-20 to 20", uniform(-20, 20, 400000), portable::sin,
          [](LD x) { return std::sin(x); });
  measure("sin", "2^-1074 to 2^1024, both signs", binades(-1074, 1024, 50, true), portable::sin,
          [](LD x) { return std::sin(x); });
  measure("cos", "-20 to 20", uniform(-20, 20, 400000), portable::cos,
          [](LD x) { return std::cos(x); });
  measure("cos", "2^-1074 to 2^1024, both signs", binades(-1074, 1024, 50, true), portable::cos,
          [](LD x) { return std::cos(x); });
  measure("tanh", "-25 to 25", uniform(-25, 25, 400000), portable::tanh,
          [](LD x) { return std::tanh(x); });
  measure("tanh", tiny, small, portable::tanh, [](LD x) { return std::tanh(x); });
  measure("erf", "-6.5 to 6.5", uniform(-6.5, 6.5, 400000), portable::erf,
          [](LD x) { return std::erf(x); });
  measure("erf", tiny, small, portable::erf, [](LD x) { return std::erf(x); });
  measure("erfc", "-7 to 27.3", uniform(-7, 27.3, 400000), portable::erfc,
          [](LD x) { return std::erfc(x); });
}

void measure_pow() {
  RandomStream stream(107, 0);
  double worst = 0;
  const int count = 400000;
  for (int i = 0; i < count; ++i) {
    const double base = std::exp(40 * stream.gaussian());
    const double exponent = 700 * (2 * stream.uniform() - 1) / std::fabs(std::log(base));
    const long double expected =
        std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
    worst = std::max(worst, ulps(portable::pow(base, exponent), expected));
  }
  report("pow", "results e^-700 to e^700", count, worst, "ulp", kWide);
}

void measure_special() {
  using LD = long double;
  measure("softplus", "-740 to 740", uniform(-740, 740, 400000), softplus,
          [](LD x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); });
  measure("sigmoid", "-740 to 740", uniform(-740, 740, 400000), sigmoid,
          [](LD x) { return 1 / (1 + std::exp(-x)); });
  measure("normal_density", "-38 to 38", uniform(-38, 38, 400000), normal_density, wide_density);
  measure("normal_cdf", "-37.5 to 8", uniform(-37.5, 8, 400000), normal_cdf, wide_cdf);
  measure("normal_quantile", "0 to 1/2", uniform(0x1p-60, 0.5, 100000), normal_quantile,
          wide_quantile);
  measure("normal_quantile", "2^-1022 to 1/2", binades(-1022, -1, 50, false), normal_quantile,
          wide_quantile);
}

// Relative to the value, with long double's lgamma; away from its zeros at 1 and 2 by 1e-6, where
// that has digits to spare no more.
void measure_log_gamma() {
  const auto worst = [](const Points& points) {
    double largest = 0;
    for (const double x : points) {
      if (std::fabs(x - 1) < 1e-6 || std::fabs(x - 2) < 1e-6) continue;
      const long double expected = std::lgamma(static_cast<long double>(x));
      const long double error = std::fabs((log_gamma(x) - expected) / expected);
      largest = std::max(largest, static_cast<double>(error));
    }
    return largest;
  };
  const Points near = uniform(0x1p-20, 12, 200000);
  report("log_gamma", "0 to 12", near.size(), worst(near), "relative", kWide);
  const Points wide = binades(-1000, 1000, 50, false);
  report("log_gamma", "2^-1000 to 2^1000", wide.size(), worst(wide), "relative", kWide);
}

// --- Sums

// Against the scale of the result or 1, whichever is larger: where the two parts of
// max + log(sum) cancel, no digits are left to be relative to.
void measure_log_sum_exp() {
  RandomStream stream(109, 0);
  double sum_error = 0;
  double softmax_error = 0;
  const int count = 2000;
  for (int i = 0; i < count; ++i) {
    const auto size = static_cast<Index>(1 + stream.below(1000));
    const double scale = std::pow(10, 4 * stream.uniform());
    const Vector x = scale * stream.gaussian_vector(size);
    const auto largest = static_cast<long double>(x.maxCoeff());
    long double sum = 0;
    for (const double each : x)
      sum += std::exp(static_cast<long double>(each) - largest);
    const long double expected = largest + std::log(sum);
    const long double error = std::fabs(static_cast<long double>(log_sum_exp(x)) - expected);
    sum_error =
        std::max(sum_error, static_cast<double>(error / std::max(1.0L, std::fabs(expected))));
    const Vector shares = softmax(x);
    for (Index j = 0; j < size; ++j) {
      const long double share = std::exp(static_cast<long double>(x(j)) - largest) / sum;
      softmax_error =
          std::max(softmax_error,
                   static_cast<double>(std::fabs(static_cast<long double>(shares(j)) - share)));
    }
  }
  const char* range = "1 to 1000 entries, up to 1e4 in size";
  report("log_sum_exp", range, count, sum_error, "relative, or absolute below 1", kWide);
  report("softmax", range, count, softmax_error, "absolute", kWide);
}

// --- Vectors of numbers

template <class Scalar, class Function, class Reference>
double worst_of_lanes(const Points& points, Function function, Reference reference) {
  double worst = 0;
  for (const double point : points) {
    const auto x = static_cast<Scalar>(point);
    const double error = ulps(function(x), reference(static_cast<long double>(x)));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

void measure_simd() {
  const auto wide_exp = [](long double x) { return std::exp(x); };
  const Points all = uniform(-745, 709.7, 200000);
  report("simd exp, double", "-745 to 709.7", all.size(),
         worst_of_lanes<double>(
             all, [](double x) { return simd::exp(simd::splat(x))[1]; }, wide_exp),
         "ulp", kWide);
  const Points floats = uniform(-103, 88.7, 200000);
  report("simd exp, float", "-103 to 88.7", floats.size(),
         worst_of_lanes<float>(
             floats, [](float x) { return simd::exp(simd::splat(x))[3]; }, wide_exp),
         "ulp", kWide);
  const Points below = uniform(-708, 0, 200000);
  report(
      "simd exp_nonpositive_fast, double", "-708 to 0", below.size(),
      worst_of_lanes<double>(
          below, [](double x) { return simd::exp_nonpositive_fast(simd::splat(x))[1]; }, wide_exp),
      "ulp", kWide);
  const Points few = uniform(-87, 0, 200000);
  report("simd exp_nonpositive_fast, float", "-87 to 0", few.size(),
         worst_of_lanes<float>(
             few, [](float x) { return simd::exp_nonpositive_fast(simd::splat(x))[3]; }, wide_exp),
         "ulp", kWide);
  const Points unit = uniform(0, 1, 200000);
  report("simd log1p_of_unit, double", "0 to 1", unit.size(),
         worst_of_lanes<double>(
             unit, [](double x) { return simd::log1p_of_unit(simd::splat(x))[0]; },
             [](long double x) { return std::log1p(x); }),
         "ulp", kWide);
}

// Box and Muller's transform of the words as gaussian_pairs reads them.
void measure_gaussian() {
  RandomStream stream(113, 0);
  double worst = 0;
  const int count = 200000;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t radius = stream.next_u64();
    const std::uint64_t angle = stream.next_u64();
    const GaussianPairs pairs =
        gaussian_pairs(simd::U64x2{radius, radius}, simd::U64x2{angle, angle});
    const long double u = (static_cast<long double>(radius >> 12) + 0.5L) * 0x1p-52L;
    const long double place = static_cast<long double>((angle << 2) >> 12) * 0x1p-52L - 0.5L;
    const auto quarter = static_cast<int>(angle >> 62);
    const long double r = std::sqrt(-2 * std::log(u));
    const long double turn = std::numbers::pi_v<long double> / 2 * place;
    const long double sine = r * std::sin(turn);
    const long double cosine = r * std::cos(turn);
    const long double x[] = {cosine, -sine, -cosine, sine};
    const long double y[] = {sine, cosine, -sine, -cosine};
    worst = std::max({worst, ulps(pairs.first[0], x[quarter]), ulps(pairs.second[1], y[quarter])});
  }
  report("gaussian_pairs", "random words", count, worst, "ulp", kWide);
}

// --- Quadrature

Quad quad_root(double x) {
  Quad root = std::sqrt(x);
  for (int step = 0; step < 3; ++step)
    root = (root + x / root) / 2;
  return root;
}

struct PolynomialPair {
  Quad last;
  Quad previous;
};

// Orthonormal Hermite polynomials under N(0, 1), k = n and n - 1: the exponents of Quad reach.
PolynomialPair hermite(Index n, Quad x) {
  PolynomialPair pair{1, 0};
  Quad root = 0;
  for (Index k = 0; k < n; ++k) {
    const Quad next_root = quad_root(static_cast<double>(k + 1));
    pair = {(x * pair.last - root * pair.previous) / next_root, pair.last};
    root = next_root;
  }
  return pair;
}

PolynomialPair legendre(Index n, Quad x) {
  PolynomialPair pair{1, 0};
  for (Index k = 0; k < n; ++k) {
    const auto order = static_cast<double>(k);
    pair = {((2 * order + 1) * x * pair.last - order * pair.previous) / (order + 1), pair.last};
  }
  return pair;
}

double magnitude(Quad x) {
  return std::fabs(static_cast<double>(x));
}

struct RuleError {
  double node = 0;    // absolute, over the width of the rule
  double weight = 0;  // relative
};

void measure_gauss_hermite(const std::vector<Index>& sizes) {
  RuleError worst;
  std::size_t count = 0;
  for (const Index n : sizes) {
    const QuadratureRule rule = gauss_hermite(n);
    const Quad root = quad_root(static_cast<double>(n));
    for (Index i = 0; i < n; ++i, ++count) {
      Quad x = rule.nodes(i);
      for (int step = 0; step < 3; ++step) {
        const PolynomialPair pair = hermite(n, x);
        x -= pair.last / (root * pair.previous);
      }
      const Quad previous = hermite(n, x).previous;
      const Quad weight = 1 / (static_cast<double>(n) * previous * previous);
      worst.node = std::max(worst.node, magnitude(rule.nodes(i) - x));
      // Below the normal range a double has fewer digits.
      if (weight < std::numeric_limits<double>::min()) continue;
      worst.weight = std::max(worst.weight, magnitude((rule.weights(i) - weight) / weight));
    }
  }
  report("gauss_hermite, nodes", "13 rules, n = 1 to 400", count, worst.node, "absolute", kQuad);
  report("gauss_hermite, weights", "13 rules, n = 1 to 400", count, worst.weight, "relative",
         kQuad);
}

void measure_gauss_legendre(const std::vector<Index>& sizes) {
  RuleError worst;
  std::size_t count = 0;
  for (const Index n : sizes) {
    const QuadratureRule rule = gauss_legendre(n);
    const auto degree = static_cast<double>(n);
    for (Index i = 0; i < n; ++i, ++count) {
      Quad x = rule.nodes(i);
      Quad slope = 0;
      for (int step = 0; step < 4; ++step) {
        const PolynomialPair pair = legendre(n, x);
        slope = degree * (pair.previous - x * pair.last) / ((1 - x) * (1 + x));
        if (step < 3) x -= pair.last / slope;
      }
      const Quad weight = 2 / ((1 - x) * (1 + x) * slope * slope);
      worst.node = std::max(worst.node, magnitude(rule.nodes(i) - x));
      worst.weight = std::max(worst.weight, magnitude((rule.weights(i) - weight) / weight));
    }
  }
  report("gauss_legendre, nodes", "12 rules, n = 1 to 1000, on [-1, 1]", count, worst.node,
         "absolute", kQuad);
  report("gauss_legendre, weights", "12 rules, n = 1 to 1000, on [-1, 1]", count, worst.weight,
         "relative", kQuad);
}

}  // namespace

int main() {
  measure_portable();
  measure_pow();
  measure_special();
  measure_log_gamma();
  measure_log_sum_exp();
  measure_simd();
  measure_gaussian();
  measure_gauss_hermite({1, 2, 3, 5, 8, 13, 20, 40, 64, 100, 200, 300, 400});
  measure_gauss_legendre({1, 2, 3, 5, 8, 13, 20, 51, 100, 200, 500, 1000});
  return 0;
}
