#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "core/error.h"

namespace {

// A failed expectation shows the error's text, which names the parameter.
REGISTER_EXCEPTION_TRANSLATOR(const attnlab::Error& error) {
  return error.what();
}

}  // namespace

int main(int count, char** arguments) {
  doctest::Context context(count, arguments);
  context.setOption("no-intro", true);
  return context.run();
}
