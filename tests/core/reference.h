// Fixed cases (tests/reference/*.json) and comparisons with explicit tolerances.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/types.h"

namespace attnlab::tests {

// tests/reference/<name>.json, read once. Throws std::runtime_error where it cannot be read.
const nlohmann::json& reference(const std::string& name);

// [[1, 2], [3, 4]] as rows; rows of unequal length throw std::runtime_error.
Matrix to_matrix(const nlohmann::json& rows);
Vector to_vector(const nlohmann::json& entries);

// |actual - expected| <= absolute + relative |expected|. Equal infinities are close, NaN never is.
bool close(double actual, double expected, double relative, double absolute);

// The largest |actual - expected| over all entries; Infinity where shapes differ or one side is
// NaN, so that a comparison with a tolerance fails.
double largest_difference(const MatrixRef& actual, const MatrixRef& expected);
// The same, each entry divided by max(1, |expected|).
double largest_relative_difference(const MatrixRef& actual, const MatrixRef& expected);

}  // namespace attnlab::tests
