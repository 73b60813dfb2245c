#include "wasm/boundary.h"

#include <charconv>
#include <string_view>

namespace attnlab::wasm {
namespace {

val describe(std::string_view code, const std::string& parameter, const std::string& message) {
  val inner = val::object();
  inner.set("code", val(std::string(code)));
  inner.set("parameter", val(parameter));
  inner.set("message", val(message));
  val outer = val::object();
  outer.set("error", inner);
  return outer;
}

template <class Scalar>
void copy_in(const val& array, Scalar* data, std::size_t size) {
  // The view is used at once: nothing between its making and its use can grow the memory.
  if (size > 0) val(emscripten::typed_memory_view(size, data)).call<void>("set", array);
}

template <class Scalar>
val copy_out(const Scalar* data, std::size_t size) {
  return val(emscripten::typed_memory_view(size, data)).template call<val>("slice");
}

std::size_t length_of(const val& array) {
  return static_cast<std::size_t>(array["length"].as<double>());
}

}  // namespace

val error_object(const Error& error) {
  return describe(error_code_name(error.code()), error.parameter(), error.what());
}

val out_of_memory_object() {
  return describe(error_code_name(ErrorCode::kTooLarge), "memory",
                  "memory: the work needs more memory than WebAssembly may have here");
}

val internal_error_object(const char* message) {
  return describe(error_code_name(ErrorCode::kInternal), "attnlab",
                  std::string("attnlab: a fault of this library: ") + message);
}

template <class Scalar>
MatrixOf<Scalar> read_matrix_of(const val& matrix, const char* parameter) {
  const val data = matrix["data"];
  const double rows = read_number(matrix, "rows");
  const double columns = read_number(matrix, "columns");
  const std::size_t size = length_of(data);
  if (rows < 0 || columns < 0 || rows * columns != static_cast<double>(size))
    fail(ErrorCode::kShape, parameter, "has data that do not fit its shape");
  MatrixOf<Scalar> result(static_cast<Index>(rows), static_cast<Index>(columns));
  copy_in(data, result.data(), size);
  return result;
}

template <class Scalar>
VectorOf<Scalar> read_vector_of(const val& array) {
  VectorOf<Scalar> result(static_cast<Index>(length_of(array)));
  copy_in(array, result.data(), static_cast<std::size_t>(result.size()));
  return result;
}

std::vector<double> read_numbers(const val& array) {
  std::vector<double> result(length_of(array));
  copy_in(array, result.data(), result.size());
  return result;
}

std::vector<std::uint8_t> read_bytes(const val& array) {
  std::vector<std::uint8_t> result(length_of(array));
  copy_in(array, result.data(), result.size());
  return result;
}

std::vector<Index> read_counts(const val& array) {
  std::vector<Index> result;
  for (const double count : read_numbers(array))
    result.push_back(static_cast<Index>(count));
  return result;
}

std::string read_text(const val& object, const char* name) {
  return object[name].as<std::string>();
}

double read_number(const val& object, const char* name) {
  return object[name].as<double>();
}

bool read_flag(const val& object, const char* name) {
  return object[name].as<bool>();
}

std::uint64_t parse_seed(const std::string& text) {
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seed);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    fail(ErrorCode::kOutOfRange, "seed",
         "is \"" + text + "\"; a whole number from 0 to 18446744073709551615 is expected");
  return seed;
}

std::uint64_t read_seed(const val& object, const char* name) {
  return parse_seed(read_text(object, name));
}

bool has(const val& object, const char* name) {
  const val member = object[name];
  return !member.isUndefined() && !member.isNull();
}

template <class Scalar>
val write_matrix_of(const MatrixOf<Scalar>& matrix) {
  val shape = val::array();
  shape.call<void>("push", static_cast<double>(matrix.rows()), static_cast<double>(matrix.cols()));
  val result = val::object();
  result.set("data", copy_out(matrix.data(), static_cast<std::size_t>(matrix.size())));
  result.set("shape", shape);
  return result;
}

val write_numbers(const double* data, std::size_t size) {
  return copy_out(data, size);
}

val write_texts(const std::vector<std::string>& texts) {
  val result = val::array();
  for (const auto& text : texts)
    result.call<void>("push", text);
  return result;
}

template Matrix read_matrix_of<double>(const val&, const char*);
template MatrixOf<float> read_matrix_of<float>(const val&, const char*);
template Vector read_vector_of<double>(const val&);
template VectorOf<float> read_vector_of<float>(const val&);
template val write_matrix_of<double>(const Matrix&);
template val write_matrix_of<float>(const MatrixOf<float>&);

}  // namespace attnlab::wasm
