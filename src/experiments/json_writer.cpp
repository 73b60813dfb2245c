#include "experiments/json_writer.h"

#include <array>
#include <cmath>

#include "core/error.h"

namespace attnlab::experiments {

void JsonWriter::separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

void JsonWriter::begin_object() {
  separate();
  text_ += '{';
  needs_comma_ = false;
}

void JsonWriter::end_object() {
  text_ += '}';
  needs_comma_ = true;
}

void JsonWriter::begin_array() {
  separate();
  text_ += '[';
  needs_comma_ = false;
}

void JsonWriter::end_array() {
  text_ += ']';
  needs_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  string(name);
  text_ += ':';
  needs_comma_ = false;
}

void JsonWriter::string(std::string_view text) {
  separate();
  text_ += '"';
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      text_ += '\\';
      text_ += letter;
    } else if (letter == '\n') {
      text_ += "\\n";
    } else if (code < 0x20) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      text_ += "\\u00";
      text_ += kDigits[code >> 4U];
      text_ += kDigits[code & 0xfU];
    } else {
      text_ += letter;
    }
  }
  text_ += '"';
}

void JsonWriter::number(double value) {
  if (!std::isfinite(value)) return string(show(value));
  separate();
  text_ += show(value);
}

void JsonWriter::boolean(bool value) {
  separate();
  text_ += value ? "true" : "false";
}

}  // namespace attnlab::experiments
