#include "core/nearest_name.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"

namespace attnlab {
namespace {

// Levenshtein distance.
std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

std::string quoted(std::string_view name) {
  constexpr std::size_t kShown = 60;
  if (name.size() <= kShown) return "\"" + std::string(name) + "\"";
  // A character of several bytes is shown whole or not at all.
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U)
    --end;
  return "\"" + std::string(name.substr(0, end)) + "…\"";
}

}  // namespace

std::string nearest_name_hint(std::string_view name, const std::vector<std::string>& known) {
  if (known.empty()) return "; none is known";
  // A name of any length may be asked for; only one of a likely length is worth comparing.
  if (name.size() <= 64) {
    const auto nearest = std::min_element(
        known.begin(), known.end(), [&](const std::string& left, const std::string& right) {
          return edit_distance(name, left) < edit_distance(name, right);
        });
    if (edit_distance(name, *nearest) <= std::max<std::size_t>(2, nearest->size() / 4))
      return "; did you mean \"" + *nearest + "\"?";
  }
  std::string list = "; known: ";
  for (std::size_t i = 0; i < known.size(); ++i)
    list += (i == 0 ? "" : ", ") + known[i];
  return list;
}

void fail_unknown(std::string_view parameter, std::string_view name,
                  const std::vector<std::string>& known) {
  fail(ErrorCode::kUnknownName, parameter,
       quoted(name) + " is not known" + nearest_name_hint(name, known));
}

}  // namespace attnlab
