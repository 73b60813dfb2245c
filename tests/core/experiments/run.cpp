#include "experiments/run.h"

#include <doctest/doctest.h>

#include <bit>
#include <limits>

#include "core/error.h"
#include "sample_experiment.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

Tables one_table(std::vector<double> numbers, std::vector<std::string> texts = {}) {
  return {{"t", {{std::move(numbers), {}}, {{}, std::move(texts)}}}};
}

// 64-bit FNV-1a by its published definition, over a plain string of bytes.
std::uint64_t fnv1a(const std::string& bytes) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char letter : bytes)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
  return hash;
}

std::string little_endian(std::uint64_t word) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += static_cast<char>(word >> (8 * i));
  return bytes;
}

}  // namespace

TEST_CASE("a run to the end gives every task's record in task order") {
  const auto experiment = tests::sample_experiment();
  const auto result = run_to_end(experiment, {{"tasks", 3.0}, {"steps", 5.0}}, 9);
  CHECK_FALSE(result.diverged_at.has_value());
  const auto& sums = number_column(experiment, result.tables, "sums", "sum");
  REQUIRE(sums.size() == 3);
  for (std::uint64_t k = 0; k < 3; ++k) {
    RandomStream random(9, stream_of({7, k}));
    double expected = 0;
    for (int i = 0; i < 5; ++i)
      expected += random.uniform();
    CHECK(sums[static_cast<std::size_t>(k)] == expected);
  }
}

TEST_CASE("a run is a pure function of values and seed") {
  const auto experiment = tests::sample_experiment();
  const auto print = [&](std::uint64_t seed) {
    return fingerprint(run_to_end(experiment, {}, seed).tables);
  };
  CHECK(print(1) == print(1));
  CHECK(print(1) != print(2));
  CHECK(print(0xffffffffULL) != print(0x1ffffffffULL));
}

TEST_CASE("the smallest diverging step over the tasks is the run's") {
  const auto experiment = tests::sample_experiment();
  const auto result = run_to_end(experiment, {{"divergeAt", 3.0}}, 1);
  CHECK(result.diverged_at == 4);
  CHECK(number_column(experiment, result.tables, "sums", "steps") ==
        std::vector<double>{10, 4, 10, 6});
}

TEST_CASE("values are checked before the plan is made") {
  const auto experiment = tests::sample_experiment();
  CHECK_THROWS_AS(run_to_end(experiment, {{"steps", 1e9}}, 1), Error);
  CHECK_THROWS_AS(run_to_end(experiment, {{"nothing", 1.0}}, 1), Error);
}

TEST_CASE("a column that is not there is refused by name") {
  const auto experiment = tests::sample_experiment();
  const auto result = run_to_end(experiment, {}, 1);
  CHECK_THROWS_AS(number_column(experiment, result.tables, "sums", "mean"), Error);
  CHECK_THROWS_AS(number_column(experiment, result.tables, "means", "sum"), Error);
}

TEST_CASE("the fingerprint is FNV-1a over names, sizes and bits") {
  const std::string bytes = little_endian(1) + "t" + little_endian(1) +
                            little_endian(std::bit_cast<std::uint64_t>(1.5)) + little_endian(0) +
                            little_endian(0) + little_endian(1) + little_endian(2) + "ab";
  CHECK(fingerprint(one_table({1.5}, {"ab"})) == fnv1a(bytes));
  CHECK(fingerprint({}) == 14695981039346656037ULL);
}

TEST_CASE("the fingerprint tells -0 from 0 and not one NaN from another") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  CHECK(fingerprint(one_table({0.0})) != fingerprint(one_table({-0.0})));
  CHECK(fingerprint(one_table({kNaN})) == fingerprint(one_table({-kNaN})));
  CHECK(fingerprint(one_table({}, {"a", "b"})) != fingerprint(one_table({}, {"ab"})));
}
