// Errors about unknown names, with "did you mean ...?".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnlab {

// "; did you mean \"softmax\"?" when some name is near enough, else "; known: a, b, c".
std::string nearest_name_hint(std::string_view name, const std::vector<std::string>& known);

// Throws kUnknownName: "\"softmx\" is not known" and the hint, as requireName of web/lib/names.ts
// says it. A long name is shown by its first 60 bytes.
[[noreturn]] void fail_unknown(std::string_view parameter, std::string_view name,
                               const std::vector<std::string>& known);

}  // namespace attnlab
