#include "attention/kernel.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "core/error.h"
#include "plain.h"

using namespace attnlab;
using namespace attnlab::attention;

TEST_CASE("every kernel is found again by its name") {
  std::set<std::string_view> names;
  for (const Kernel kernel : tests::kAllKernels) {
    CHECK(kernel_named(kernel_name(kernel)) == kernel);
    names.insert(kernel_name(kernel));
  }
  CHECK(names.size() == 7);
}

TEST_CASE("an unknown kernel is refused with the nearest name") {
  CHECK_THROWS_WITH_AS(kernel_named("softmx"),
                       "kernel: \"softmx\" is not known; did you mean \"softmax\"?", Error);
  CHECK_THROWS_AS(kernel_named(""), Error);
  CHECK_THROWS_AS(kernel_named(std::string(100000, 'x')), Error);
}
