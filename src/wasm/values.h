// Parameter values from JavaScript to the core's variant.
#pragma once

#include "experiments/descriptor.h"
#include "wasm/boundary.h"

namespace attnlab::wasm {

// An array of [name, value]; a value is a number, a boolean, a string, a Float64Array, or
// {data, rows, columns}. Names and limits are checked by experiments::complete.
experiments::Values read_values(const val& entries);

}  // namespace attnlab::wasm
