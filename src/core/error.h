// The one error type of the core. Every bad input ends here, before any work starts: the error
// names the parameter, the value and what is allowed, so that a caller in any language can say
// what to change.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace attnlab {

enum class ErrorCode {
  kShape,        // sizes that do not fit each other
  kNotFinite,    // NaN or an infinity where none is meaningful
  kNotInteger,   // 2.5 where a count is meant
  kOutOfRange,   // a number outside what is allowed
  kDomain,       // allowed as a number, but outside the domain of the formula
  kUnknownName,  // no such experiment, parameter, kernel, ...
  kMissing,      // a required value is absent
  kType,         // a text where a number is meant, ...
  kMalformed,    // a file or a text that cannot be read
  kTooLarge,     // the work would need more memory than is allowed; the bytes are named
  kCancelled,    // the caller asked to stop
  kInternal      // a fault of this library
};

// The code as callers see it: "shape", "not-finite", ...
std::string_view error_code_name(ErrorCode code);

class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string parameter, std::string message);
  ErrorCode code() const noexcept { return code_; }
  // The parameter's name as the caller spelled it ("queries", "seed"); never empty.
  const std::string& parameter() const noexcept { return parameter_; }
  // "queries: row 3, column 0 is NaN; finite numbers are expected"
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorCode code_;
  std::string parameter_;
  std::string message_;
};

// Throws Error with the message "parameter: text".
[[noreturn]] void fail(ErrorCode code, std::string_view parameter, std::string_view text);

// A number as error messages show it: shortest text that reads back the same; NaN, Infinity.
std::string show(double value);

}  // namespace attnlab
