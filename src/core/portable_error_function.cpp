#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/double_double.h"
#include "core/exponential.h"
#include "core/polynomial.h"
#include "core/portable.h"

namespace attnlab::portable {
namespace {

// erf(x) = x + x E(x^2) for |x| <= 3/4. Like all tables here it interpolates the function at
// Chebyshev's points in 240-bit arithmetic; errors are at most a few 2^-54 of the value.
constexpr std::array<double, 12> kSmall{
    0.1283791670955126,    -0.37612638903183754,    0.11283791670955087,    -0.026866170645118426,
    0.005223977625221888,  -0.0008548327001109076,  0.00012055331543818947, -1.4925589331989037e-05,
    1.646038204353174e-06, -1.6333213091801684e-07, 1.4413751635274794e-08, -9.502408872183395e-10};

// e^(x^2) erfc(x) on [a, 2 a] in powers of y = (x - 3/2 a) / (a / 2), for a = 1/2, 1, 2, 4.
constexpr std::array<double, 15> kFromHalf{
    0.5069376502931449,     -0.09199317291394885,    0.014434883221956143,  -0.0020286884686699707,
    0.00026090055674831184, -3.114966996112664e-05,  3.488573893088815e-06, -3.6935621693335953e-07,
    3.719539411742085e-08,  -3.5801452026870127e-09, 3.306876440008758e-10, -2.940238691685661e-11,
    2.5250183778041673e-12, -2.149720777127483e-13,  1.7310702436308993e-14};

constexpr std::array<double, 18> kFrom1{
    0.3215854164543175,      -0.08181145886628004,   0.019037759963869347,
    -0.004116363162445329,   0.0008360838095667819,  -0.0001608111733745461,
    2.9470857452441112e-05,  -5.171328643696019e-06, 8.723044760263366e-07,
    -1.4191195815474282e-07, 2.232841289840529e-08,  -3.405755489104501e-09,
    5.04660275957676e-10,    -7.276757137420257e-11, 1.0198183507810793e-11,
    -1.3992758101971656e-12, 2.0291817549924027e-13, -2.653391343981901e-14};

constexpr std::array<double, 21> kFrom2{
    0.17900115118138996,     -0.05437226000717287,    0.015884371159871336,
    -0.004479431018372594,   0.0012230390523768093,   -0.0003241255444964565,
    8.355413962866053e-05,   -2.0989464464206213e-05, 5.146436562817232e-06,
    -1.2333677057386366e-06, 2.8926667168215056e-07,  -6.64669256579962e-08,
    1.4977699021190157e-08,  -3.312747133326865e-09,  7.198306445968793e-10,
    -1.5396135668406077e-10, 3.235213376454834e-11,   -6.540458204066614e-12,
    1.3344054762727914e-12,  -3.3570439531078767e-13, 6.610607207775789e-14};

constexpr std::array<double, 24> kFrom4{
    0.09277656780053835,     -0.030120706978104643,   0.009657787464897708,
    -0.0030595855557640477,  0.0009580615952111058,   -0.00029664123220903547,
    9.085053144582718e-05,   -2.7531014712150292e-05, 8.257487304588797e-06,
    -2.452046918096231e-06,  7.210772675656964e-07,   -2.1004742219207504e-07,
    6.062323516796927e-08,   -1.7339929379340336e-08, 4.916490626969579e-09,
    -1.3820051627459818e-09, 3.848643360658306e-10,   -1.0640823399769373e-10,
    2.9564293985223436e-11,  -8.039985358369666e-12,  1.9178693379635574e-12,
    -5.159545653797292e-13,  2.33713776393135e-13,    -6.135100521760767e-14};

// x e^(x^2) erfc(x) on [8, 28] in powers of 1 / x^2.
constexpr std::array<double, 12> kFrom8{
    0.5641895835477563, -0.2820947917738779, 0.4231421876605907, -1.0578554690076425,
    3.702494084271046,  -16.66120825079696,  91.63390669308502,  -595.2759842871346,
    4434.536250119964,  -35913.300050671074, 272779.5978758581,  -1328842.4649644436};

// What rounding took from the first coefficients.
constexpr double kFromHalfLow = -5.335681035462232e-17;
constexpr double kFrom1Low = 1.703391687991039e-17;
constexpr double kFrom2Low = -5.4272175920200274e-18;
constexpr double kFrom4Low = 6.213458158189219e-18;
constexpr double kFrom8Low = 7.594042022153176e-18;

// The polynomial, with the sum of its first and its other terms kept exactly.
template <std::size_t size>
DoubleDouble polynomial_sum(double y, const std::array<double, size>& coefficients, double low) {
  double rest = coefficients[size - 1];
  for (std::size_t i = size - 1; i-- > 1;)
    rest = rest * y + coefficients[i];
  const DoubleDouble sum = fast_two_sum(coefficients[0], rest * y);
  return {sum.high, sum.low + low};
}

// e^(x^2) erfc(x) for x in [1/2, 28].
DoubleDouble scaled_complement(double x) {
  if (x < 1) return polynomial_sum(4 * x - 3, kFromHalf, kFromHalfLow);
  if (x < 2) return polynomial_sum(2 * x - 3, kFrom1, kFrom1Low);
  if (x < 4) return polynomial_sum(x - 3, kFrom2, kFrom2Low);
  if (x < 8) return polynomial_sum(0.5 * x - 3, kFrom4, kFrom4Low);
  return polynomial_sum(1 / (x * x), kFrom8, kFrom8Low) / DoubleDouble{x, 0};
}

// erfc(x) for x in [1/2, 28].
double complement(double x) {
  // e^(-x^2) with x^2 exact, kept apart from its power of two until the end, so that results
  // below the normal range round once.
  const DoubleDouble square = two_product(x, x);
  const ReducedExponent<double> reduced = reduce_exponent(-square.high);
  const double r = reduced.r;
  const double low = reduced.low - square.low;
  const double tail = exponential_tail(r, low);
  const DoubleDouble power = fast_two_sum(1, r);
  const DoubleDouble product = DoubleDouble{power.high, power.low + tail} * scaled_complement(x);
  const double value = product.high + product.low;
  return scale_by_power_of_two<double, std::uint64_t>(value, reduced.n);
}

}  // namespace

double erf(double x) {
  const double size = std::fabs(x);
  if (size <= 0.75) return x + x * polynomial(x * x, kSmall);
  if (!(size < 6)) return std::isnan(x) ? x : std::copysign(1, x);  // erfc(6) < 2^-55
  return std::copysign(1 - complement(size), x);
}

double erfc(double x) {
  if (std::isnan(x)) return x;
  if (x < -6) return 2;
  if (x < -0.75) return 2 - complement(-x);
  if (x < 0.25) return 1 - erf(x);
  if (x < 0.5) return 0.5 - ((x - 0.5) + x * polynomial(x * x, kSmall));
  return x < 28 ? complement(x) : 0;  // erfc(28) < 2^-1075
}

}  // namespace attnlab::portable
