#include "core/random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/gaussian_pair.h"
#include "core/philox.h"
#include "ulp.h"

using namespace attnlab;
using attnlab::tests::kReferenceUlp;
using attnlab::tests::opaque;
using attnlab::tests::ulps;

namespace {

using Words = std::array<std::uint32_t, 4>;

double largest_gap_from_uniform(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const auto size = static_cast<double>(sample.size());
  double gap = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    gap = std::max(gap, std::fabs(sample[i] - static_cast<double>(i) / size));
    gap = std::max(gap, std::fabs(sample[i] - static_cast<double>(i + 1) / size));
  }
  return gap;
}

// Kolmogorov's 0.1 % point of sqrt(n) times the largest gap.
constexpr double kKolmogorov = 1.95;

}  // namespace

TEST_CASE("Philox 4x32-10 gives its authors' known answers") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t kOnes = 0xffffffff;
  CHECK(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("four Philox blocks at a time equal single ones, also across the counter's carry") {
  for (const std::uint64_t position : {0ULL, 5ULL, 0xfffffffeULL, 0xffffffffffffffffULL}) {
    const std::uint64_t stream = 0x123456789abcdef0;
    const std::uint64_t seed = 0xfedcba9876543210;
    const PhiloxBlocks blocks = philox4x32_four(position, stream, seed);
    for (unsigned lane = 0; lane < 4; ++lane) {
      const std::uint64_t at = position + lane;
      const Words single =
          philox4x32({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32),
                      0x9abcdef0, 0x12345678},
                     {0x76543210, 0xfedcba98});
      for (unsigned w = 0; w < 4; ++w)
        CHECK(blocks.word[w][lane] == single[w]);
    }
  }
}

TEST_CASE("the first words of stream (0, 0) are the known answer of the zero counter and key") {
  RandomStream stream(0, 0);
  CHECK(stream.next_u64() == 0xe169c58d6627e8d5);
  CHECK(stream.next_u64() == 0x9b00dbd8bc57ac4c);
}

TEST_CASE("a uniform never reaches 0 or 1 and passes Kolmogorov's test") {
  RandomStream stream(7, 1);
  std::vector<double> sample(20000);
  for (double& value : sample) {
    value = stream.uniform();
    REQUIRE(value > 0);
    REQUIRE(value < 1);
  }
  CHECK(largest_gap_from_uniform(sample) * std::sqrt(20000.0) < kKolmogorov);
}

TEST_CASE("whole numbers below a bound stay below it and are equally frequent") {
  RandomStream stream(11, 2);
  constexpr int kDraws = 70000;
  std::array<int, 7> count{};
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t value = stream.below(7);
    REQUIRE(value < 7);
    ++count[static_cast<std::size_t>(value)];
  }
  double chi_square = 0;
  for (const int seen : count)
    chi_square += std::pow(seen - kDraws / 7.0, 2) / (kDraws / 7.0);
  CHECK(chi_square < 22.46);  // 0.1 % point at 6 degrees of freedom
  CHECK(stream.below(1) == 0);
  for (int i = 0; i < 100; ++i)
    CHECK(stream.below(0x8000000000000001) < 0x8000000000000001);
  CHECK_THROWS_WITH_AS(stream.below(0), "bound: is 0; at least 1 is allowed", Error);
}

TEST_CASE("the first normals of stream (0, 0) follow from the known answer by the formula") {
  RandomStream stream(0, 0);
  const double first = stream.gaussian();
  const double second = stream.gaussian();
  const long double u = (static_cast<long double>(0xe169c58d6627e8d5 >> 12) + 0.5L) * 0x1p-52L;
  const long double turn = static_cast<long double>(0x9b00dbd8bc57ac4c >> 10) * 0x1p-54L - 0.125L;
  const long double radius = std::sqrt(-2 * std::log(opaque(u)));
  const long double angle = opaque(2 * std::numbers::pi_v<long double> * turn);
  CHECK(std::fabs(first - static_cast<double>(radius * std::cos(angle))) < 4e-16);
  CHECK(std::fabs(second - static_cast<double>(radius * std::sin(angle))) < 4e-16);
}

TEST_CASE("Box and Muller's transform is within 4 ulp of long double arithmetic") {
  RandomStream stream(3, 9);
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    std::uint64_t radius_word = stream.next_u64();
    std::uint64_t angle_word = stream.next_u64();
    if (i % 4 == 1) radius_word = ~(radius_word >> (i % 50));  // u near 1
    if (i % 4 == 2) radius_word >>= i % 50;                    // u near 0
    if (i == 0) radius_word = 0;
    if (i == 4) radius_word = ~std::uint64_t{0};
    const GaussianPairs pairs = gaussian_pairs(simd::splat(radius_word), simd::splat(angle_word));
    const long double u = (static_cast<long double>(radius_word >> 12) + 0.5L) * 0x1p-52L;
    const long double radius = std::sqrt(-2 * std::log(u));
    const std::uint64_t quarter = angle_word >> 62;
    const long double place = static_cast<long double>((angle_word << 2) >> 12) * 0x1p-52L - 0.5L;
    const long double angle = std::numbers::pi_v<long double> / 2 * place;
    long double x = radius * std::cos(angle);
    long double y = radius * std::sin(angle);
    for (std::uint64_t q = 0; q < quarter; ++q) {
      const long double old = x;
      x = -y;
      y = old;
    }
    worst = std::max({worst, ulps(pairs.first[0], x), ulps(pairs.second[1], y)});
  }
  CHECK(worst < 4 + kReferenceUlp);
}

TEST_CASE("filling gives the same bits as single draws, wherever a word or a normal was left") {
  for (const int words_before : {0, 1, 2, 3}) {
    for (const int normals_before : {0, 1, 2}) {
      for (const unsigned size : {0U, 1U, 2U, 3U, 5U, 7U, 8U, 9U, 17U, 385U, 2000U}) {
        RandomStream filled(5, size);
        for (int i = 0; i < words_before; ++i)
          filled.next_u64();
        for (int i = 0; i < normals_before; ++i)
          filled.gaussian();
        RandomStream single = filled;
        std::vector<double> out(size);
        filled.fill_gaussian(out);
        bool same = true;
        for (const double value : out)
          same = same && std::bit_cast<std::uint64_t>(value) ==
                             std::bit_cast<std::uint64_t>(single.gaussian());
        CHECK(same);
        CHECK(filled.uniform() == single.uniform());
        CHECK(filled.gaussian() == single.gaussian());
      }
    }
  }
}

TEST_CASE("normals pass Kolmogorov's test and have the moments 0, 1, 0, 3") {
  RandomStream stream(2026, 4);
  constexpr std::size_t kSize = 200000;
  std::vector<double> sample(kSize);
  stream.fill_gaussian(sample);
  std::array<double, 4> moment{};
  std::vector<double> rank;
  for (const double x : sample) {
    moment[0] += x;
    moment[1] += x * x;
    moment[2] += x * x * x;
    moment[3] += x * x * x * x;
    rank.push_back(0.5 * std::erfc(-x / std::numbers::sqrt2));
  }
  for (double& value : moment)
    value /= static_cast<double>(kSize);
  const double step = 4 / std::sqrt(static_cast<double>(kSize));  // 4 standard errors
  CHECK(std::fabs(moment[0]) < step);
  CHECK(std::fabs(moment[1] - 1) < step * std::sqrt(2.0));
  CHECK(std::fabs(moment[2]) < step * std::sqrt(15.0));
  CHECK(std::fabs(moment[3] - 3) < step * std::sqrt(96.0));
  CHECK(largest_gap_from_uniform(rank) * std::sqrt(static_cast<double>(kSize)) < kKolmogorov);
}

TEST_CASE("neighbouring streams and the two normals of a pair are uncorrelated") {
  constexpr std::size_t kSize = 100000;
  std::vector<double> left(kSize), right(kSize);
  RandomStream(1, 0).fill_gaussian(left);
  RandomStream(1, 1).fill_gaussian(right);
  double across = 0, within = 0, squares = 0;
  for (std::size_t i = 0; i < kSize; ++i)
    across += left[i] * right[i];
  for (std::size_t i = 0; i < kSize; i += 2) {
    within += left[i] * left[i + 1];
    squares += (left[i] * left[i] - 1) * (left[i + 1] * left[i + 1] - 1);
  }
  CHECK(std::fabs(across) < 4 * std::sqrt(static_cast<double>(kSize)));
  CHECK(std::fabs(within) < 4 * std::sqrt(kSize / 2.0));
  CHECK(std::fabs(squares) < 4 * 2 * std::sqrt(kSize / 2.0));
}

TEST_CASE("a matrix of normals is filled row by row") {
  RandomStream matrix_stream(8, 8);
  RandomStream single(8, 8);
  const Matrix matrix = matrix_stream.gaussian_matrix(3, 5);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 5; ++j)
      CHECK(matrix(i, j) == single.gaussian());
  const Vector vector = matrix_stream.gaussian_vector(4);
  for (Index i = 0; i < 4; ++i)
    CHECK(vector(i) == single.gaussian());
}

TEST_CASE("stream numbers differ with every index, their order and their number") {
  std::set<std::uint64_t> seen;
  std::size_t made = 0;
  for (std::uint64_t a = 0; a < 30; ++a) {
    seen.insert(stream_of({a}));
    ++made;
    for (std::uint64_t b = 0; b < 30; ++b) {
      seen.insert(stream_of({a, b}));
      seen.insert(stream_of({a, b, 0}));
      made += 2;
    }
  }
  CHECK(seen.size() == made);
  CHECK(stream_of({1, 2}) == stream_of({1, 2}));
}
