// A text as tokens: words with vectors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/resources.h"

namespace attnlab::experiments {

// Lower-case words: runs of ASCII letters and digits. Every other character that is not white
// space, also one of several bytes, is a word of its own.
std::vector<std::string> words_of(std::string_view text);

struct WordCount {
  std::string word;
  Index count;
};

struct TextTokens {
  Matrix tokens;                   // a row an occurrence of a known word, in reading order
  Index distinct = 0;              // known words that differ
  Index unknown_count = 0;         // occurrences of words without a vector
  std::vector<WordCount> unknown;  // most frequent first, then by word
};

// Looks every word up. Throws kOutOfRange ("text") when fewer than two known words are found.
TextTokens text_tokens(std::string_view text, const Resource& vectors);

// About reading for one fact in a long text; written for this laboratory.
extern const char* const kDefaultText;

}  // namespace attnlab::experiments
