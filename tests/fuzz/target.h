// What fuzz targets share. A target is a file of this folder: a function from bytes to nothing that
// stops the program when something is wrong. The sanitizers stop it for what they see.
#pragma once

#include <string>

#include "core/error.h"
#include "core/types.h"
#include "input.h"

namespace attnlab::fuzz {

using Body = void (*)(Input& input);

// One static object of this type in a target's file; `name` is the file's.
struct Target {
  Target(const char* name, Body body);
};

// Prints `what` and aborts unless `holds`.
void expect(bool holds, const std::string& what);

// An error that a caller may see: it names a parameter, and it is no fault of this library.
void expect_named(const Error& error);

// Does the work; false when it was refused, by a named error.
template <class Work>
bool accepted(const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    expect_named(error);
    return false;
  }
}

// "2 x 3: 1 2 3 4 5 6", for findings.
std::string show_matrix(const MatrixRef& matrix);

template <class Derived>
void expect_finite(const Eigen::MatrixBase<Derived>& result, const std::string& what) {
  expect(result.array().isFinite().all(), what + " is not finite");
}
void expect_finite(double result, const std::string& what);
// low - slack <= result <= high + slack; false for NaN.
void expect_between(double low, double result, double high, double slack, const std::string& what);

}  // namespace attnlab::fuzz
