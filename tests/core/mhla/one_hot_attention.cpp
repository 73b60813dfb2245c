#include "mhla/one_hot_attention.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/random.h"
#include "mhla/model.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

SparseHeads random_sparse_heads(Index d, Index count, RandomStream& stream) {
  SparseHeads heads{d, {}};
  const auto entry = [&] {
    const auto place = [&] {
      return static_cast<Index>(stream.below(static_cast<std::uint64_t>(d)));
    };
    const Index row = place();
    return MatrixEntry{row, place(), static_cast<std::int64_t>(stream.below(7)) - 3};
  };
  for (Index h = 0; h < count; ++h) {
    SparseHead head;
    for (int e = 0; e < 6; ++e) {
      head.value.push_back(entry());
      head.query.push_back(entry());
    }
    heads.heads.push_back(head);
  }
  return heads;
}

SparseToken random_token(Index d, RandomStream& stream) {
  SparseToken token;
  for (Index row = 0; row < d; ++row)
    if (stream.below(3) == 0)
      token.push_back({row, static_cast<std::int64_t>(stream.below(3)) + 1});
  return token;
}

}  // namespace

TEST_CASE("sparse attention gives the numbers of Definition 2.1 on random whole-number heads") {
  RandomStream stream(3, 1);
  for (int round = 0; round < 20; ++round) {
    const Index d = 3 + round % 5;
    const SparseHeads heads = random_sparse_heads(d, 3, stream);
    const Heads dense = dense_heads(heads);
    SparseAttention attention(heads);
    for (int t = 0; t < 6; ++t) {
      attention.append(random_token(d, stream));
      const std::vector<SparseToken> output{attention.output()};
      const Matrix expected = apply(dense, dense_prompt(attention.tokens(), d), OutputMode::kLast);
      CHECK(tests::largest_difference(dense_prompt(output, d), expected) == 0);
    }
  }
}

TEST_CASE("the reads of a step are the scores other than zero") {
  // One head asks for row 1 where the last token has row 0, and answers row 2 by row 3.
  SparseAttention attention({4, {{{{2, 3, 1}}, {{1, 0, 5}}}}});
  attention.append(one_hot_token({3, 1}));
  attention.append(one_hot_token({2}));
  attention.append(one_hot_token({0}));
  CHECK(attention.output() == SparseToken{{2, 5}});
  REQUIRE(attention.reads().size() == 1);
  CHECK(attention.reads()[0].token == 0);
  CHECK(attention.reads()[0].score == 5);
  CHECK_FALSE(is_zero_one(attention.step()));
  CHECK(attention.tokens().size() == 4);
  attention.clear();
  attention.append(one_hot_token({0}));
  CHECK(attention.output().empty());
}

TEST_CASE("tokens and heads outside of the dimension are refused by name") {
  const auto parameter = [](auto&& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return error.parameter();
    }
    return "none";
  };
  SparseAttention attention({2, {}});
  CHECK(parameter([&] { attention.append({{2, 1}}); }) == "token");
  CHECK(parameter([&] { attention.append({{1, 1}, {0, 1}}); }) == "token");
  CHECK(parameter([&] { attention.append({{1, 0}}); }) == "token");
  CHECK(parameter([&] { attention.output(); }) == "token");
  CHECK(parameter([] { SparseAttention({2, {{{{2, 0, 1}}, {}}}}); }) == "heads");
  CHECK(parameter([] { SparseAttention({2, {{{}, {{0, 0, 1 << 21}}}}}); }) == "heads");
  CHECK(parameter([] { dense_heads({5000, {}}); }) == "heads");
}
