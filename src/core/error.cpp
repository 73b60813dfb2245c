#include "core/error.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace attnlab {

std::string_view error_code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kShape:
      return "shape";
    case ErrorCode::kNotFinite:
      return "not-finite";
    case ErrorCode::kNotInteger:
      return "not-integer";
    case ErrorCode::kOutOfRange:
      return "out-of-range";
    case ErrorCode::kDomain:
      return "domain";
    case ErrorCode::kUnknownName:
      return "unknown-name";
    case ErrorCode::kMissing:
      return "missing";
    case ErrorCode::kType:
      return "type";
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kTooLarge:
      return "too-large";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

namespace {

// what() ends at the first NUL, which a name that a caller made up may hold.
std::string without_nul(std::string text) {
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

}  // namespace

Error::Error(ErrorCode code, std::string parameter, std::string message)
    : code_(code),
      parameter_(without_nul(std::move(parameter))),
      message_(without_nul(std::move(message))) {}

void fail(ErrorCode code, std::string_view parameter, std::string_view text) {
  std::string message(parameter);
  message += ": ";
  message += text;
  throw Error(code, std::string(parameter), std::move(message));
}

std::string show(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

}  // namespace attnlab
