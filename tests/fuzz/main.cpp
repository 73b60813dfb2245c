// One program for all targets: ATTNLAB_FUZZ_TARGET names the one to feed, the other arguments are
// libFuzzer's (tools/fuzz.mjs starts it).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "target.h"

namespace attnlab::fuzz {
namespace {

std::map<std::string, Body, std::less<>>& targets() {
  static std::map<std::string, Body, std::less<>> all;
  return all;
}

Body chosen_target() {
  const char* name = std::getenv("ATTNLAB_FUZZ_TARGET");
  const auto place = targets().find(name == nullptr ? "" : name);
  if (place != targets().end()) return place->second;
  std::fprintf(stderr, "ATTNLAB_FUZZ_TARGET is to be one of:");
  for (const auto& target : targets())
    std::fprintf(stderr, " %s", target.first.c_str());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

Target::Target(const char* name, Body body) {
  targets().emplace(name, body);
}

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "FINDING: %s\n", what.c_str());
  std::abort();
}

void expect_named(const Error& error) {
  const std::string message = error.what();
  expect(error.code() != ErrorCode::kInternal, "a fault of the library: " + message);
  expect(!error.parameter().empty() && message.starts_with(error.parameter() + ": "),
         "an error without its parameter: " + message);
  expect(message.size() < 2000, "an endless message: " + message);
}

std::string show_matrix(const MatrixRef& matrix) {
  std::string text = std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()) + ":";
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      text += " " + show(matrix(i, j));
  return text;
}

void expect_finite(double result, const std::string& what) {
  expect(std::isfinite(result), what + " is " + show(result));
}

void expect_between(double low, double result, double high, double slack, const std::string& what) {
  expect(result >= low - slack && result <= high + slack,
         what + " is " + show(result) + ", not from " + show(low) + " to " + show(high));
}

}  // namespace attnlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const attnlab::fuzz::Body body = attnlab::fuzz::chosen_target();
  attnlab::fuzz::Input input({data, size});
  body(input);
  return 0;
}
