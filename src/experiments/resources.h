// Data that ships beside the program and is loaded only when an experiment needs it: the word
// vectors. The descriptor says when (Descriptor::resources); whoever drives the run reads the file
// and hands its bytes in before `prepare`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace attnlab::experiments {

// Rows with names: word vectors, a row a word.
struct Resource {
  Matrix data;
  std::vector<std::string> names;  // one a row, sorted, without doubles
};

// Reads the packed form and keeps the resource under `name`, in place of an older one. Format,
// little-endian: "ATWV", u32 version = 1, u32 rows, u32 columns, u32 bytes of the names; the names,
// UTF-8, each ended by a newline; then, row by row, one float32 scale and `columns` int8: entry =
// scale * int8. Throws kMalformed ("resource") when the bytes are not of this form.
void provide_resource(std::string_view name, std::span<const std::uint8_t> bytes);
bool has_resource(std::string_view name);
// Throws kMissing ("resource") when it has not been provided.
const Resource& resource(std::string_view name);
// Row of a name; -1 when there is none.
Index find_name(const Resource& resource, std::string_view name);

}  // namespace attnlab::experiments
