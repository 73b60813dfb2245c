// Every reader of text or bytes in the core: machines, words, word vectors, names, JSON out.
#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "attention/kernel.h"
#include "core/nearest_name.h"
#include "experiments/json_writer.h"
#include "experiments/registry.h"
#include "experiments/resources.h"
#include "experiments/word_text.h"
#include "mhla/fit_method.h"
#include "mhla/turing_machine.h"
#include "needle/model.h"
#include "needle/predictor.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

// What is read and written again reads as the same machine.
void check_machine(Input& input) {
  static constexpr std::string_view kMachines[] = {"1RB1LB_1LA1RH", "1RB---_0LA1SA",
                                                   "1RB0RD_1LB1LE_0LC0RA_1RF1LD_1RZ0LE_0RC0LF",
                                                   "1RB2LA1RA_1LB1LA0RC_---1LC2RB"};
  const auto machine = mhla::parse_machine(input.flag() ? input.like(kMachines) : input.text(60));
  mhla::require_machine(machine);
  const std::string text = mhla::machine_text(machine);
  const auto again = mhla::parse_machine(text);
  expect(mhla::machine_text(again) == text, "another machine is read back from " + text);
}

// No byte that stands for something is lost, and words are lower case.
void check_words(Input& input) {
  const std::string text = input.text(255);
  std::size_t bytes = 0;
  for (const auto& word : experiments::words_of(text)) {
    expect(!word.empty(), "an empty word");
    bytes += word.size();
    expect(std::none_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; }),
           "a word in upper case");
  }
  expect(bytes <= text.size(), "more words than text");
}

void append_word(std::vector<std::uint8_t>& bytes, std::uint32_t word) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<std::uint8_t>(word >> shift));
}

// Packed word vectors, whole or nearly so.
std::vector<std::uint8_t> draw_vectors(Input& input) {
  const auto rows = static_cast<std::uint32_t>(input.count(0, 6));
  const auto columns = static_cast<std::uint32_t>(input.count(0, 5));
  std::string names;
  for (std::uint32_t i = 0; i < rows; ++i)
    names += input.text(3) + "\n";
  std::vector<std::uint8_t> bytes = {'A', 'T', 'W', 'V'};
  for (const std::uint32_t word : {1U, rows, columns, static_cast<std::uint32_t>(names.size())})
    append_word(bytes, word);
  bytes.insert(bytes.end(), names.begin(), names.end());
  for (std::uint32_t i = 0; i < rows; ++i) {
    append_word(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(input.number())));
    for (std::uint32_t j = 0; j < columns; ++j)
      bytes.push_back(input.byte());
  }
  for (unsigned edits = input.byte() % 4; edits > 0; --edits)
    bytes[input.byte() % bytes.size()] = input.byte();
  if (input.byte() < 16) bytes.resize(bytes.size() - std::min<std::size_t>(bytes.size(), 3));
  return bytes;
}

void check_vectors(Input& input) {
  if (input.flag()) {
    experiments::provide_resource("fuzz", draw_vectors(input));
  } else {
    experiments::provide_resource("fuzz", input.take(400));
  }
  const auto& found = experiments::resource("fuzz");
  expect(found.data.rows() == static_cast<Index>(found.names.size()), "a row a name");
  expect_finite(found.data, "a vector");
  for (const auto& name : found.names)
    expect(experiments::find_name(found, name) >= 0, "a name is not found");
  experiments::text_tokens(input.text(80), found);
}

// A name is known or refused with a hint.
void check_names(Input& input) {
  static constexpr std::string_view kNames[] = {
      "softmax", "linear-mean", "centred-linear", "tsqr", "needle.population-risk", ""};
  const std::string name = input.flag() ? input.like(kNames) : input.text(255);
  const auto look_up = [&](auto read) { accepted([&] { read(name); }); };
  look_up([](const auto& text) { attention::kernel_named(text); });
  look_up([](const auto& text) { needle::kernel_named(text); });
  look_up([](const auto& text) { needle::model_named(text); });
  look_up([](const auto& text) { mhla::fit_method(text); });
  look_up([](const auto& text) { experiments::find_experiment(text); });
  nearest_name_hint(name, {"softmax", "", std::string(input.text(40))});
}

// Quotes and control characters are escaped, so that the text ends where it should.
void check_json(Input& input) {
  experiments::JsonWriter writer;
  writer.begin_object();
  writer.key(input.text(20));
  writer.string(input.text(60));
  writer.key("x");
  writer.number(input.number());
  writer.end_object();
  const std::string& text = writer.text();
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    expect(static_cast<unsigned char>(text[i]) >= ' ', "a control character in JSON");
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"')
      inside = !inside;
    expect(i < text.size(), "JSON ends in a backslash");
  }
  expect(!inside && text.ends_with("}"), "a text in JSON does not end");
}

void run(Input& input) {
  static constexpr void (*kChecks[])(Input&) = {check_machine, check_words, check_vectors,
                                                check_names, check_json};
  accepted([&] { input.one_of(kChecks)(input); });
}

const Target kTarget("texts", run);

}  // namespace
}  // namespace attnlab::fuzz
