#include "mhla/modular_span.h"

#include <doctest/doctest.h>

#include <vector>

using namespace attnlab::mhla;

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

struct Span {
  ModularSpan span;
  std::vector<std::vector<double>> chosen;

  bool add(const std::vector<double>& v) {
    std::vector<double> kernel;
    for (const auto& other : chosen)
      kernel.push_back(dot(other, v));
    const bool independent = span.independent(kernel, dot(v, v));
    CHECK(span.add(kernel, dot(v, v)) == independent);
    if (independent) chosen.push_back(v);
    return independent;
  }
};

}  // namespace

TEST_CASE("whole-number vectors are told dependent or not from inner products alone") {
  Span span;
  CHECK(span.add({3, -1, 4, 1}));
  CHECK(span.add({-5, 9, 2, 6}));
  CHECK_FALSE(span.add({-2, 8, 6, 7}));
  CHECK_FALSE(span.add({11, -11, 6, -4}));
  // Far closer to the span than double precision of a Gram matrix could tell.
  CHECK(span.add({3000000, -1000000, 4000000, 1000001}));
  CHECK(span.add({1, 1, 1, 1}));
  CHECK_FALSE(span.add({7, -8, 9, 123456}));
  CHECK_FALSE(span.add({0, 0, 0, 0}));
  CHECK(span.span.rank() == 4);
}
