// Writes JSON text, for descriptors. Reading JSON is the caller's matter.
#pragma once

#include <string>
#include <string_view>

namespace attnlab::experiments {

// Commas and nesting are kept by the writer; a key is followed by its value.
class JsonWriter {
 public:
  void begin_object();
  void end_object();
  void begin_array();
  void end_array();
  void key(std::string_view name);
  void string(std::string_view text);
  // NaN and the infinities have no JSON number: they are written as "NaN", "Infinity",
  // "-Infinity".
  void number(double value);
  void boolean(bool value);
  const std::string& text() const { return text_; }

 private:
  void separate();

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace attnlab::experiments
