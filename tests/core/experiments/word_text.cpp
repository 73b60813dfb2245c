#include "experiments/word_text.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "experiments/word_vectors.h"

using namespace attnlab;
using namespace attnlab::experiments;

TEST_CASE("a text is cut into lower-case words and single marks") {
  using Words = std::vector<std::string>;
  CHECK(words_of("The cat, 2 Cats!") == Words{"the", "cat", ",", "2", "cats", "!"});
  CHECK(words_of("don't\tstop\n") == Words{"don", "'", "t", "stop"});
  CHECK(words_of("“그” é") == Words{"“", "그", "”", "é"});
  // A byte that begins a character takes nothing that does not go on from it.
  CHECK(words_of("\xc3"
                 "Ab\xe2\x82"
                 "C") == Words{"\xc3", "ab", "\xe2\x82", "c"});
  CHECK(words_of("\xf0") == Words{"\xf0"});
  CHECK(words_of("").empty());
  CHECK(words_of(" \n\t ").empty());
  // A cut character at the end is kept, not read past.
  CHECK(words_of("a\xe2") == Words{"a", "\xe2"});
}

TEST_CASE("tokens stand in reading order and unknown words are counted") {
  const Resource& vectors = tests::word_vectors();
  const TextTokens text = text_tokens("The water xyzzy the QWERTZ xyzzy", vectors);
  REQUIRE(text.tokens.rows() == 3);
  CHECK(text.tokens.row(0) == vectors.data.row(find_name(vectors, "the")));
  CHECK(text.tokens.row(1) == vectors.data.row(find_name(vectors, "water")));
  CHECK(text.tokens.row(2) == text.tokens.row(0));
  CHECK(text.distinct == 2);
  CHECK(text.unknown_count == 3);
  REQUIRE(text.unknown.size() == 2);
  CHECK(text.unknown[0].word == "xyzzy");
  CHECK(text.unknown[0].count == 2);
}

TEST_CASE("a text without known words is refused by name") {
  try {
    text_tokens("qwertz xyzzy", tests::word_vectors());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.parameter() == "text");
    CHECK(error.code() == ErrorCode::kOutOfRange);
  }
}

TEST_CASE("the default text is mostly words with vectors") {
  const TextTokens text = text_tokens(kDefaultText, tests::word_vectors());
  CHECK(text.tokens.rows() >= 150);
  CHECK(text.unknown_count * 5 < text.tokens.rows());
}
