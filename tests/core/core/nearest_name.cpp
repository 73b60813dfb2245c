#include "core/nearest_name.h"

#include <doctest/doctest.h>

#include "core/error.h"

using namespace attnlab;

namespace {

std::string refusal_of(std::string_view name, const std::vector<std::string>& known) {
  try {
    fail_unknown("kernel", name, known);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kUnknownName);
    CHECK(error.parameter() == "kernel");
    return error.what();
  }
}

}  // namespace

TEST_CASE("an unknown name is shown with the nearest one, or with all that are known") {
  CHECK(refusal_of("softmx", {"linear", "softmax"}) ==
        "kernel: \"softmx\" is not known; did you mean \"softmax\"?");
  CHECK(refusal_of("banana", {"linear", "softmax"}) ==
        "kernel: \"banana\" is not known; known: linear, softmax");
  CHECK(refusal_of("", {}) == "kernel: \"\" is not known; none is known");
}

TEST_CASE("a long name is cut after 60 bytes, never inside a character") {
  const std::string shown(59, 'a');
  CHECK(refusal_of(shown + "bc", {"x"}) == "kernel: \"" + shown + "b…\" is not known; known: x");
  CHECK(refusal_of(shown + "é", {"x"}) == "kernel: \"" + shown + "…\" is not known; known: x");
}
