#include "experiments/resources.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "experiments/word_vectors.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

ErrorCode code_of(const std::vector<std::uint8_t>& bytes) {
  try {
    provide_resource("damaged", bytes);
  } catch (const Error& error) {
    CHECK(error.parameter() == "resource");
    return error.code();
  }
  return ErrorCode::kInternal;
}

}  // namespace

TEST_CASE("the shipped word vectors are 4000 words of 100 numbers") {
  const Resource& vectors = tests::word_vectors();
  CHECK(vectors.data.rows() == 4000);
  CHECK(vectors.data.cols() == 100);
  CHECK(vectors.names.size() == 4000);
  CHECK(find_name(vectors, "needle") < 0);
  const Index row = find_name(vectors, "the");
  REQUIRE(row >= 0);
  // First entries of the published vector, to the rounding of int8 (half a scale).
  CHECK(std::fabs(vectors.data(row, 0) + 0.038194) < 0.01);
  CHECK(std::fabs(vectors.data(row, 1) + 0.24487) < 0.02);
  CHECK(std::fabs(vectors.data(row, 2) - 0.72812) < 0.02);
}

TEST_CASE("words that are near in meaning have near vectors") {
  const Resource& vectors = tests::word_vectors();
  const auto cosine = [&](const char* left, const char* right) {
    const Vector x = vectors.data.row(find_name(vectors, left)).transpose();
    const Vector y = vectors.data.row(find_name(vectors, right)).transpose();
    return x.dot(y) / (x.norm() * y.norm());
  };
  CHECK(cosine("river", "water") > cosine("river", "minister") + 0.1);
  CHECK(cosine("two", "three") > 0.9);
}

TEST_CASE("a damaged resource is refused, and the others stay") {
  auto bytes = tests::word_vector_bytes();
  tests::word_vectors();
  CHECK(code_of({}) == ErrorCode::kMalformed);
  CHECK(code_of({bytes.begin(), bytes.end() - 1}) == ErrorCode::kMalformed);
  CHECK(code_of({bytes.begin(), bytes.begin() + 30}) == ErrorCode::kMalformed);
  auto longer = bytes;
  longer.push_back(0);
  CHECK(code_of(longer) == ErrorCode::kMalformed);
  auto magic = bytes;
  magic[0] = 'X';
  CHECK(code_of(magic) == ErrorCode::kMalformed);
  auto version = bytes;
  version[4] = 9;
  CHECK(code_of(version) == ErrorCode::kMalformed);
  auto rows = bytes;
  rows[11] = 0xff;
  CHECK(code_of(rows) == ErrorCode::kMalformed);
  CHECK_FALSE(has_resource("damaged"));
  CHECK(has_resource("glove-4000"));
}

TEST_CASE("a resource that was never provided is missing") {
  CHECK_THROWS_WITH_AS(resource("nothing"),
                       "resource: \"nothing\" has not been loaded, and these values need it",
                       Error);
}
