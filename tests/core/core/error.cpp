#include "core/error.h"

#include <doctest/doctest.h>

#include <string>

using namespace attnlab;

TEST_CASE("a message is whole, and begins with its parameter, whatever bytes the name has") {
  const std::string name("a\0b", 3);
  try {
    fail(ErrorCode::kUnknownName, name, "is not known");
  } catch (const Error& error) {
    CHECK(error.parameter() == "a b");
    CHECK(std::string(error.what()) == "a b: is not known");
    return;
  }
  FAIL("did not throw");
}
