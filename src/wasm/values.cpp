#include "wasm/values.h"

namespace attnlab::wasm {
namespace {

experiments::Value read_value(const val& value, const std::string& name) {
  if (value.isNumber()) return value.as<double>();
  if (value.isTrue() || value.isFalse()) return value.isTrue();
  if (value.isString()) return value.as<std::string>();
  if (has(value, "rows")) return read_matrix(value, name.c_str());
  return read_numbers(value);
}

}  // namespace

experiments::Values read_values(const val& entries) {
  experiments::Values values;
  const auto size = static_cast<std::size_t>(entries["length"].as<double>());
  for (std::size_t i = 0; i < size; ++i) {
    const val entry = entries[i];
    const auto name = entry[0].as<std::string>();
    values[name] = read_value(entry[1], name);
  }
  return values;
}

}  // namespace attnlab::wasm
