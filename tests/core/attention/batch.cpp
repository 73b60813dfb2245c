#include <doctest/doctest.h>

#include <string>

#include "attention/attention.h"
#include "core/error.h"
#include "core/random.h"

using namespace attnlab;
using namespace attnlab::attention;

namespace {

std::string refused(const std::vector<Index>& query_lengths,
                    const std::vector<Index>& key_lengths) {
  RandomStream stream(1, 1);
  const Matrix queries = stream.gaussian_matrix(6, 2);
  const Matrix keys = stream.gaussian_matrix(8, 2);
  try {
    forward_batch<double>(queries, keys, keys, Vector(), query_lengths, key_lengths, Options{});
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a batch gives the bits of its prompts taken one by one") {
  RandomStream stream(103, 0);
  const std::vector<Index> query_lengths{1, 0, 70, 3, 0};
  const std::vector<Index> key_lengths{5, 4, 140, 3, 0};
  const Matrix queries = stream.gaussian_matrix(74, 3);
  const Matrix keys = stream.gaussian_matrix(152, 3);
  const Matrix values = stream.gaussian_matrix(152, 9);
  const Vector token_weights = stream.gaussian_vector(152).cwiseAbs();
  for (const bool causal : {false, true}) {
    for (const Vector& counts : {Vector(), token_weights}) {
      Options options;
      options.causal = causal;
      const Matrix output =
          forward_batch<double>(queries, keys, values, counts, query_lengths, key_lengths, options);
      REQUIRE(output.rows() == 74);
      Index query = 0;
      Index key = 0;
      for (std::size_t b = 0; b < 4; ++b) {
        const Index m = query_lengths[b];
        const Index n = key_lengths[b];
        const Vector part = counts.size() == 0 ? Vector() : Vector(counts.segment(key, n));
        const Matrix single = forward<double>(queries.middleRows(query, m), keys.middleRows(key, n),
                                              values.middleRows(key, n), part, options);
        CHECK(output.middleRows(query, m) == single);
        query += m;
        key += n;
      }
    }
  }
}

TEST_CASE("lengths that do not cut the rows are refused before any work") {
  CHECK(refused({2, 4}, {3, 5}) == "accepted");
  CHECK(refused({2, 4}, {3, 4}) == "keyLengths: sum to 7; 8 is expected");
  CHECK(refused({2, 5}, {3, 5}) ==
        "queryLengths: entry 1 is 5; 0 to 4 is allowed, the rows that are left");
  CHECK(refused({-1, 7}, {3, 5}) ==
        "queryLengths: entry 0 is -1; 0 to 6 is allowed, the rows that are left");
  CHECK(refused({2, 4}, {8}) == "keyLengths: has 1 entries; 2 are expected");
  CHECK(refused({2, 4}, {0, 8}) == "keyLengths: entry 0 is 0; a prompt with queries needs a key");
  CHECK(refused({6, 0}, {8, 0}) == "accepted");
}
