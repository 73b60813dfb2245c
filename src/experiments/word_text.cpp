#include "experiments/word_text.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"

namespace attnlab::experiments {
namespace {

bool is_word_letter(unsigned char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9');
}

// Bytes of the UTF-8 character that begins at `place`: its first one says how many, but what does
// not go on from it (10xxxxxx) belongs to the next.
std::size_t character_length(std::string_view text, std::size_t place) {
  const auto first = static_cast<unsigned char>(text[place]);
  const std::size_t most = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  std::size_t length = 1;
  while (length < most && place + length < text.size() &&
         (static_cast<unsigned char>(text[place + length]) & 0xc0U) == 0x80U)
    ++length;
  return length;
}

}  // namespace

const char* const kDefaultText =
    "A reader looks for one sentence in a long report. She does not know the page, only what the "
    "sentence is about: a small bridge, built in a dry summer, that was never used. At first every "
    "line seems to speak of water, stone or roads, and her eye goes back and forth between them. "
    "After an hour she has a feeling for the whole text, for what is common in it and what is "
    "rare. "
    "The common words pull her towards an average, and the average says little. What she needs is "
    "the one place where the right words stand together.\n\n"
    "Now give the same report to a machine. It reads all lines at once and gives each word a "
    "weight. If the weights are nearly equal, the answer is the mean of everything, and the mean "
    "changes slowly as the report grows. If the weights are sharp, a few words carry the answer, "
    "and a longer report can change it in a moment, because the next page may hold a word that "
    "fits better than all before. So the question is not only how long the text is. It is how many "
    "of its words the machine is really listening to, and whether there are enough of them to "
    "trust what they say together. When there are enough, the answer settles down, and it settles "
    "at a rate that we can state before we read the first line.\n";

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (std::size_t i = 0; i < text.size();) {
    const auto letter = static_cast<unsigned char>(text[i]);
    if (is_word_letter(letter)) {
      const bool upper = letter >= 'A' && letter <= 'Z';
      word += static_cast<char>(upper ? letter - 'A' + 'a' : letter);
      ++i;
      continue;
    }
    end_word();
    const std::size_t length = character_length(text, i);
    if (letter > ' ' && letter != 0x7f) words.emplace_back(text.substr(i, length));
    i += length;
  }
  end_word();
  return words;
}

TextTokens text_tokens(std::string_view text, const Resource& vectors) {
  TextTokens result;
  std::vector<Index> rows;
  std::map<std::string, Index> unknown;
  for (const auto& word : words_of(text)) {
    const Index row = find_name(vectors, word);
    if (row >= 0) {
      rows.push_back(row);
    } else {
      ++unknown[word];
      ++result.unknown_count;
    }
  }
  if (rows.size() < 2)
    fail(ErrorCode::kOutOfRange, "text",
         "has " + std::to_string(rows.size()) + " words with a vector; at least 2 are needed (" +
             std::to_string(vectors.names.size()) + " frequent English words have one)");
  result.distinct = static_cast<Index>(std::set<Index>(rows.begin(), rows.end()).size());
  result.tokens.resize(static_cast<Index>(rows.size()), vectors.data.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    result.tokens.row(static_cast<Index>(i)) = vectors.data.row(rows[i]);
  for (const auto& entry : unknown)
    result.unknown.push_back({entry.first, entry.second});
  std::stable_sort(
      result.unknown.begin(), result.unknown.end(),
      [](const WordCount& left, const WordCount& right) { return left.count > right.count; });
  return result;
}

}  // namespace attnlab::experiments
