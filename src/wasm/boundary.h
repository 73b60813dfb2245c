// The border between the core and JavaScript: the only way in and the only way out.
//
// In: typed arrays are copied once into matrices. Out: fresh typed arrays that JavaScript owns,
// never views of the heap, which would fall to length 0 when memory grows. Every bound function
// runs inside `guarded`, so no C++ exception crosses: a failure is the object
// {error: {code, parameter, message}}, which web/lib/engine.ts turns into an AttnLabError.
//
// web/lib has converted types before it calls; what is checked here is what would otherwise read
// outside memory. Everything else is checked by the core.
#pragma once

#include <emscripten/val.h>

#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/types.h"

namespace attnlab::wasm {

using emscripten::val;

// What one answer may take of the 4 GB that a 32-bit memory has.
inline constexpr double kLargestResultBytes = 1024.0 * 1024.0 * 1024.0;

val error_object(const Error& error);
val out_of_memory_object();
val internal_error_object(const char* message);

template <class Work>
val guarded(const Work& work) noexcept {
  try {
    return work();
  } catch (const Error& error) {
    return error_object(error);
  } catch (const std::bad_alloc&) {
    return out_of_memory_object();
  } catch (const std::length_error&) {
    return out_of_memory_object();
  } catch (const std::exception& error) {
    return internal_error_object(error.what());
  } catch (...) {
    return internal_error_object("an exception of unknown type");
  }
}

// {data, rows, columns} with data a Float64Array (or Float32Array) of rows * columns entries in
// row-major order.
template <class Scalar>
MatrixOf<Scalar> read_matrix_of(const val& matrix, const char* parameter);
inline Matrix read_matrix(const val& matrix, const char* parameter) {
  return read_matrix_of<double>(matrix, parameter);
}
template <class Scalar>
VectorOf<Scalar> read_vector_of(const val& array);
inline Vector read_vector(const val& array) {
  return read_vector_of<double>(array);
}
std::vector<double> read_numbers(const val& array);
std::vector<std::uint8_t> read_bytes(const val& array);
std::vector<Index> read_counts(const val& array);
std::string read_text(const val& object, const char* name);
double read_number(const val& object, const char* name);
bool read_flag(const val& object, const char* name);
// A seed in decimal digits, 0 ... 2^64 - 1: numbers of JavaScript end at 2^53.
std::uint64_t parse_seed(const std::string& text);
std::uint64_t read_seed(const val& object, const char* name);
bool has(const val& object, const char* name);  // neither undefined nor null

// {data, shape: [rows, columns]}
template <class Scalar>
val write_matrix_of(const MatrixOf<Scalar>& matrix);
inline val write_matrix(const Matrix& matrix) {
  return write_matrix_of<double>(matrix);
}
val write_numbers(const double* data, std::size_t size);
inline val write_numbers(const std::vector<double>& numbers) {
  return write_numbers(numbers.data(), numbers.size());
}
inline val write_vector(const Vector& vector) {
  return write_numbers(vector.data(), static_cast<std::size_t>(vector.size()));
}
val write_texts(const std::vector<std::string>& texts);

}  // namespace attnlab::wasm
