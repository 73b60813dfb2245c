// Checks of input, each of which throws an Error that names the parameter.
#pragma once

#include <string_view>

#include "core/error.h"
#include "core/types.h"

namespace attnlab {

// Every entry finite; returns the largest magnitude. The message names the first bad entry's row
// and column.
double require_finite(const MatrixRef& matrix, std::string_view parameter);
double require_finite(const MatrixRefOf<float>& matrix, std::string_view parameter);
void require_finite_vector(const VectorRef& vector, std::string_view parameter);
void require_finite(double value, std::string_view parameter);

// For weights, whose sum is divided by.
void require_finite_sum(const VectorRef& values, std::string_view parameter);
void require_finite_sum(const VectorRefOf<float>& values, std::string_view parameter);

// rows x columns as expected; -1 leaves a side free.
void require_shape(Index rows, Index columns, Index expected_rows, Index expected_columns,
                   std::string_view parameter);

// minimum <= value <= maximum, and finite unless a bound is infinite.
void require_range(double value, double minimum, double maximum, std::string_view parameter);

// A whole number in [minimum, maximum], returned as an index.
Index require_count(double value, Index minimum, Index maximum, std::string_view parameter);

// bytes <= limit, else kTooLarge with both numbers in MiB.
void require_memory(double bytes, double limit_bytes, std::string_view parameter);

}  // namespace attnlab
