#include "experiments/resources.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/error.h"

namespace attnlab::experiments {
namespace {

std::map<std::string, Resource, std::less<>>& storage() {
  static std::map<std::string, Resource, std::less<>> resources;
  return resources;
}

[[noreturn]] void fail_malformed(std::string_view name, std::string_view why) {
  fail(ErrorCode::kMalformed, "resource",
       "\"" + std::string(name) + "\" cannot be read: " + std::string(why));
}

// Reads forward and never past the end.
class Reader {
 public:
  Reader(std::string_view name, std::span<const std::uint8_t> bytes) : name_(name), rest_(bytes) {}

  std::span<const std::uint8_t> take(std::size_t size) {
    if (size > rest_.size()) fail_malformed(name_, "it ends too early");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::uint32_t word() {
    const auto four = take(4);
    return static_cast<std::uint32_t>(four[0]) | static_cast<std::uint32_t>(four[1]) << 8U |
           static_cast<std::uint32_t>(four[2]) << 16U | static_cast<std::uint32_t>(four[3]) << 24U;
  }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view name_;
  std::span<const std::uint8_t> rest_;
};

std::vector<std::string> read_names(std::string_view name, std::span<const std::uint8_t> bytes,
                                    std::size_t expected) {
  std::vector<std::string> names;
  std::string current;
  for (const std::uint8_t byte : bytes) {
    if (byte == '\n') {
      names.push_back(std::move(current));
      current.clear();
    } else {
      current += static_cast<char>(byte);
    }
  }
  if (!current.empty() || names.size() != expected)
    fail_malformed(name, "it has " + std::to_string(names.size()) + " names for " +
                             std::to_string(expected) + " rows");
  return names;
}

Resource read(std::string_view name, std::span<const std::uint8_t> bytes) {
  Reader reader(name, bytes);
  const auto magic = reader.take(4);
  constexpr std::string_view kMagic = "ATWV";
  if (!std::equal(kMagic.begin(), kMagic.end(), magic.begin()))
    fail_malformed(name, "it does not begin with ATWV");
  const std::uint32_t version = reader.word();
  if (version != 1) fail_malformed(name, "version " + std::to_string(version) + " is not known");
  const std::size_t rows = reader.word();
  const std::size_t columns = reader.word();
  const std::size_t name_bytes = reader.word();
  if (name_bytes > reader.left() || rows > reader.left() || columns > reader.left() ||
      name_bytes + rows * (columns + 4) != reader.left())
    fail_malformed(name, "its length does not fit its " + std::to_string(rows) + " rows of " +
                             std::to_string(columns) + " columns");
  const auto names = read_names(name, reader.take(name_bytes), rows);

  Matrix data(static_cast<Index>(rows), static_cast<Index>(columns));
  for (Index i = 0; i < data.rows(); ++i) {
    const auto scale = static_cast<double>(std::bit_cast<float>(reader.word()));
    if (!std::isfinite(scale)) fail_malformed(name, "a scale is not finite");
    const auto row = reader.take(columns);
    for (Index j = 0; j < data.cols(); ++j)
      data(i, j) = scale * std::bit_cast<std::int8_t>(row[static_cast<std::size_t>(j)]);
  }

  // Sorted by name, so that a word is found by halving.
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t left, std::size_t right) { return names[left] < names[right]; });
  Resource result{Matrix(data.rows(), data.cols()), {}};
  for (std::size_t i = 0; i < rows; ++i) {
    result.names.push_back(names[order[i]]);
    result.data.row(static_cast<Index>(i)) = data.row(static_cast<Index>(order[i]));
  }
  if (std::adjacent_find(result.names.begin(), result.names.end()) != result.names.end())
    fail_malformed(name, "a name occurs twice");
  return result;
}

}  // namespace

void provide_resource(std::string_view name, std::span<const std::uint8_t> bytes) {
  storage().insert_or_assign(std::string(name), read(name, bytes));
}

bool has_resource(std::string_view name) {
  return storage().find(name) != storage().end();
}

const Resource& resource(std::string_view name) {
  const auto place = storage().find(name);
  if (place == storage().end())
    fail(ErrorCode::kMissing, "resource",
         "\"" + std::string(name) + "\" has not been loaded, and these values need it");
  return place->second;
}

Index find_name(const Resource& resource, std::string_view name) {
  const auto place = std::lower_bound(resource.names.begin(), resource.names.end(), name);
  if (place == resource.names.end() || *place != name) return -1;
  return place - resource.names.begin();
}

}  // namespace attnlab::experiments
