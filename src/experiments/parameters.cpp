#include "experiments/parameters.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/require.h"

namespace attnlab::experiments {
namespace {

[[noreturn]] void fail_type(const Parameter& parameter, std::string_view expected) {
  fail(ErrorCode::kType, parameter.name, "has the wrong type; " + std::string(expected));
}

template <class T>
const T& get(const Parameter& parameter, const Value& value, std::string_view expected) {
  const T* found = std::get_if<T>(&value);
  if (found == nullptr) fail_type(parameter, expected);
  return *found;
}

void check_number(const Parameter& parameter, double value) {
  require_range(value, parameter.minimum, parameter.maximum, parameter.name);
}

void check_integer(const Parameter& parameter, double value) {
  // require_range first: it names the limits, which a count of 1e18 wants more than its wholeness.
  if (std::isfinite(value) && value != std::floor(value))
    fail(ErrorCode::kNotInteger, parameter.name,
         "is " + show(value) + "; a whole number from " + show(parameter.minimum) + " to " +
             show(parameter.maximum) + " is expected");
  check_number(parameter, value);
}

void check_choice(const Parameter& parameter, const std::string& value) {
  std::vector<std::string> names;
  for (const auto& choice : parameter.choices) {
    if (choice.name == value) return;
    names.push_back(choice.name);
  }
  fail_unknown(parameter.name, value, names);
}

void check_numbers(const Parameter& parameter, const std::vector<double>& list) {
  const auto size = static_cast<Index>(list.size());
  if (size < parameter.minimum_count || size > parameter.maximum_count)
    fail(ErrorCode::kOutOfRange, parameter.name,
         "has " + std::to_string(size) + " entries; " + std::to_string(parameter.minimum_count) +
             " to " + std::to_string(parameter.maximum_count) + " are allowed");
  for (const double value : list)
    check_number(parameter, value);
}

void check_text(const Parameter& parameter, const std::string& value) {
  if (static_cast<double>(value.size()) > parameter.maximum)
    fail(ErrorCode::kTooLarge, parameter.name,
         "has " + std::to_string(value.size()) + " bytes; " + show(parameter.maximum) +
             " are allowed");
}

void check_value(const Parameter& parameter, const Value& value) {
  switch (parameter.type) {
    case ParameterType::kNumber:
      return check_number(parameter, get<double>(parameter, value, "a number is expected"));
    case ParameterType::kInteger:
      return check_integer(parameter, get<double>(parameter, value, "a whole number is expected"));
    case ParameterType::kBoolean:
      get<bool>(parameter, value, "true or false is expected");
      return;
    case ParameterType::kChoice:
      return check_choice(parameter, get<std::string>(parameter, value, "a name is expected"));
    case ParameterType::kNumbers:
      return check_numbers(
          parameter, get<std::vector<double>>(parameter, value, "a list of numbers is expected"));
    case ParameterType::kText:
      return check_text(parameter, get<std::string>(parameter, value, "a text is expected"));
    case ParameterType::kMatrix:
      require_finite(get<Matrix>(parameter, value, "a matrix is expected"), parameter.name);
  }
}

template <class T>
const T& completed(const Values& values, std::string_view name) {
  const auto place = values.find(std::string(name));
  if (place == values.end())
    fail(ErrorCode::kInternal, name, "the experiment asks for a parameter it does not have");
  const T* found = std::get_if<T>(&place->second);
  if (found == nullptr)
    fail(ErrorCode::kInternal, name, "the experiment reads a parameter as another type");
  return *found;
}

}  // namespace

Values complete(const Descriptor& descriptor, const Values& given) {
  std::vector<std::string> names;
  for (const auto& parameter : descriptor.parameters)
    names.push_back(parameter.name);
  for (const auto& entry : given) {
    if (std::find(names.begin(), names.end(), entry.first) != names.end()) continue;
    // An error always names a parameter.
    if (entry.first.empty()) fail(ErrorCode::kUnknownName, "parameters", "has an empty name");
    fail(ErrorCode::kUnknownName, entry.first,
         "is not a parameter of " + descriptor.id + nearest_name_hint(entry.first, names));
  }
  Values values;
  for (const auto& parameter : descriptor.parameters) {
    const auto place = given.find(parameter.name);
    const Value& value = place == given.end() ? parameter.default_value : place->second;
    check_value(parameter, value);
    values.emplace(parameter.name, value);
  }
  return values;
}

Values preset_values(const Descriptor& descriptor, std::string_view preset) {
  std::vector<std::string> names;
  for (const auto& candidate : descriptor.presets) {
    if (candidate.name == preset) return complete(descriptor, candidate.values);
    names.push_back(candidate.name);
  }
  fail_unknown("preset", preset, names);
}

double number(const Values& values, std::string_view name) {
  return completed<double>(values, name);
}

Index count(const Values& values, std::string_view name) {
  return static_cast<Index>(completed<double>(values, name));
}

bool flag(const Values& values, std::string_view name) {
  return completed<bool>(values, name);
}

const std::string& text(const Values& values, std::string_view name) {
  return completed<std::string>(values, name);
}

const std::vector<double>& numbers(const Values& values, std::string_view name) {
  return completed<std::vector<double>>(values, name);
}

const Matrix& matrix(const Values& values, std::string_view name) {
  return completed<Matrix>(values, name);
}

}  // namespace attnlab::experiments
