// "did you mean ...?" for errors about unknown names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attnlab {

// "; did you mean \"softmax\"?" when some name is near enough, else "; known: a, b, c".
std::string nearest_name_hint(std::string_view name, const std::vector<std::string>& known);

}  // namespace attnlab
