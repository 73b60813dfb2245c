#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/portable.h"
#include "core/quadrature.h"
#include "core/random.h"
#include "core/special.h"

using namespace attnlab;

namespace {

// FNV-1a over the bytes of doubles.
class Fingerprint {
 public:
  void add(double value) {
    auto word = std::bit_cast<std::uint64_t>(value);
    for (int byte = 0; byte < 8; ++byte, word >>= 8)
      hash_ = (hash_ ^ (word & 0xff)) * 0x100000001b3;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

// `function` at numbers of every size, both signs.
template <class Function>
std::uint64_t fingerprint(Function function) {
  RandomStream stream(2512, 11784);
  Fingerprint result;
  for (int exponent = -1070; exponent <= 1020; exponent += 2) {
    const double x = std::ldexp(1 + stream.uniform(), exponent);
    result.add(function(x));
    result.add(function(-x));
  }
  for (int i = 0; i < 4000; ++i)
    result.add(function(40 * (stream.uniform() - 0.5)));
  return result.value();
}

// NaN has many bit patterns; only that it is one matters.
template <class Function>
auto one_nan(Function function) {
  return [function](double x) {
    const double value = function(x);
    return std::isnan(value) ? 0.125 : value;
  };
}

}  // namespace

// The numbers are those of the native build, in which the other tests hold the accuracy.
TEST_CASE("elementary functions have the same bits in every build") {
  CHECK(fingerprint(one_nan(portable::exp)) == 0xffdfb619f6086280ULL);
  CHECK(fingerprint(one_nan(portable::expm1)) == 0xa7b02132e4fe4ebdULL);
  CHECK(fingerprint(one_nan(portable::log)) == 0x7e88e0aaa2ca4f5fULL);
  CHECK(fingerprint(one_nan(portable::log1p)) == 0xfc1bfe98bd4ffd8fULL);
  CHECK(fingerprint(one_nan([](double x) { return portable::pow(std::fabs(x), 0.37); })) ==
        0x705d43810453073dULL);
  CHECK(fingerprint(one_nan(portable::sin)) == 0x7f5f21000bad22edULL);
  CHECK(fingerprint(one_nan(portable::cos)) == 0x32f3b31c0a955069ULL);
  CHECK(fingerprint(one_nan(portable::tanh)) == 0xd6130a6f06d63b2dULL);
  CHECK(fingerprint(one_nan(portable::erf)) == 0x2db0670bf6a07769ULL);
  CHECK(fingerprint(one_nan(portable::erfc)) == 0x96d8fe6e3b1dc1caULL);
}

TEST_CASE("special functions have the same bits in every build") {
  CHECK(fingerprint(one_nan(softplus)) == 0xf57959cde2653fe6ULL);
  CHECK(fingerprint(one_nan(sigmoid)) == 0x763ea99ca2a0379cULL);
  CHECK(fingerprint(one_nan(normal_density)) == 0xc6eceb07cf7cacefULL);
  CHECK(fingerprint(one_nan(normal_cdf)) == 0xd52a35faa9762fa8ULL);
  CHECK(fingerprint(one_nan([](double x) { return normal_quantile(sigmoid(x)); })) ==
        0x79b28b621b5292c8ULL);
  CHECK(fingerprint(one_nan([](double x) { return log_gamma(std::fabs(x)); })) ==
        0x65866b50429e39c9ULL);
}

TEST_CASE("random numbers and quadrature rules have the same bits in every build") {
  Fingerprint random;
  RandomStream stream(1, 2);
  for (int i = 0; i < 1000; ++i)
    random.add(stream.uniform());
  const Vector normals = stream.gaussian_vector(10001);
  for (const double value : normals)
    random.add(value);
  CHECK(random.value() == 0x73ff2cd080b27e80ULL);
  Fingerprint rules;
  for (const QuadratureRule& rule : {gauss_hermite(61), gauss_legendre(128, -1, 3)}) {
    for (const double node : rule.nodes)
      rules.add(node);
    for (const double weight : rule.weights)
      rules.add(weight);
  }
  CHECK(rules.value() == 0x8020ea8d73a44ca9ULL);
}
