#include "core/require.h"

#include <cmath>
#include <string>

#include "core/magnitude.h"

namespace attnlab {
namespace {

template <class Scalar>
double require_finite_entries(const MatrixRefOf<Scalar>& matrix, std::string_view parameter) {
  const auto largest = static_cast<double>(largest_magnitude<Scalar>(matrix));
  if (std::isfinite(largest)) return largest;
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      const auto value = static_cast<double>(matrix(i, j));
      if (std::isfinite(value)) continue;
      fail(ErrorCode::kNotFinite, parameter,
           "row " + std::to_string(i) + ", column " + std::to_string(j) + " is " + show(value) +
               "; finite numbers are expected");
    }
  }
  return largest;
}

std::string show_side(Index side) {
  return side < 0 ? "any" : std::to_string(side);
}

}  // namespace

double require_finite(const MatrixRef& matrix, std::string_view parameter) {
  return require_finite_entries<double>(matrix, parameter);
}

double require_finite(const MatrixRefOf<float>& matrix, std::string_view parameter) {
  return require_finite_entries<float>(matrix, parameter);
}

void require_finite_vector(const VectorRef& vector, std::string_view parameter) {
  if (std::isfinite(
          largest_magnitude<double>(Eigen::Map<const Matrix>(vector.data(), 1, vector.size()))))
    return;
  for (Index i = 0; i < vector.size(); ++i) {
    if (std::isfinite(vector(i))) continue;
    fail(ErrorCode::kNotFinite, parameter,
         "entry " + std::to_string(i) + " is " + show(vector(i)) + "; finite numbers are expected");
  }
}

namespace {

template <class Scalar>
void check_finite_sum(const VectorRefOf<Scalar>& values, std::string_view parameter) {
  if (!std::isfinite(values.sum()))
    fail(ErrorCode::kOutOfRange, parameter,
         "have a sum beyond the largest number; scale them down");
}

}  // namespace

void require_finite_sum(const VectorRef& values, std::string_view parameter) {
  check_finite_sum<double>(values, parameter);
}

void require_finite_sum(const VectorRefOf<float>& values, std::string_view parameter) {
  check_finite_sum<float>(values, parameter);
}

void require_finite(double value, std::string_view parameter) {
  if (!std::isfinite(value))
    fail(ErrorCode::kNotFinite, parameter, "is " + show(value) + "; a finite number is expected");
}

void require_shape(Index rows, Index columns, Index expected_rows, Index expected_columns,
                   std::string_view parameter) {
  const bool rows_fit = expected_rows < 0 || rows == expected_rows;
  const bool columns_fit = expected_columns < 0 || columns == expected_columns;
  if (rows_fit && columns_fit) return;
  fail(ErrorCode::kShape, parameter,
       "is " + std::to_string(rows) + " x " + std::to_string(columns) + "; " +
           show_side(expected_rows) + " x " + show_side(expected_columns) + " is expected");
}

void require_range(double value, double minimum, double maximum, std::string_view parameter) {
  if (std::isnan(value) || (std::isinf(value) && value != minimum && value != maximum))
    fail(ErrorCode::kNotFinite, parameter, "is " + show(value) + "; a finite number is expected");
  if (value >= minimum && value <= maximum) return;
  fail(ErrorCode::kOutOfRange, parameter,
       "is " + show(value) + "; " + show(minimum) + " to " + show(maximum) + " is allowed");
}

Index require_count(double value, Index minimum, Index maximum, std::string_view parameter) {
  if (!std::isfinite(value))
    fail(ErrorCode::kNotFinite, parameter, "is " + show(value) + "; a whole number is expected");
  if (value != std::floor(value))
    fail(ErrorCode::kNotInteger, parameter, "is " + show(value) + "; a whole number is expected");
  require_range(value, static_cast<double>(minimum), static_cast<double>(maximum), parameter);
  return static_cast<Index>(value);
}

void require_memory(double bytes, double limit_bytes, std::string_view parameter) {
  if (bytes <= limit_bytes) return;
  constexpr double kMebibyte = 1024.0 * 1024.0;
  fail(ErrorCode::kTooLarge, parameter,
       "would need " + show(std::ceil(bytes)) + " bytes (" + show(std::ceil(bytes / kMebibyte)) +
           " MiB); " + show(std::floor(limit_bytes / kMebibyte)) + " MiB are allowed");
}

}  // namespace attnlab
