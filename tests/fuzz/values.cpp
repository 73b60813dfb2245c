#include "values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace attnlab::fuzz {
namespace {

using experiments::Parameter;
using experiments::ParameterType;
using experiments::Value;

double draw_number(Input& input, const Parameter& parameter) {
  const std::uint8_t kind = input.byte();
  if (kind < 8) return input.number();
  if (kind < 16) return parameter.maximum;
  if (kind < 120) return input.between(parameter.minimum, parameter.maximum);
  // A little above the least, in the parameter's own measure.
  const double step = parameter.step > 0 ? parameter.step : 0.125;
  return std::min(parameter.maximum, parameter.minimum + step * (input.byte() % 8));
}

double draw_count(Input& input, const Parameter& parameter) {
  const std::uint8_t kind = input.byte();
  if (kind < 8) return input.number();
  if (kind < 12) return parameter.maximum;
  const Index room = kind < 64 ? 40 : 6;
  return std::min(parameter.maximum, parameter.minimum + static_cast<double>(input.count(0, room)));
}

std::vector<double> draw_list(Input& input, const Parameter& parameter) {
  const Index most = std::min<Index>(parameter.maximum_count, parameter.minimum_count + 2);
  const Index size =
      input.byte() < 6 ? input.count(0, 20) : input.count(parameter.minimum_count, most);
  std::vector<double> list(static_cast<std::size_t>(size));
  const bool whole = parameter.step >= 1;
  for (double& entry : list)
    entry = whole ? draw_count(input, parameter) : draw_number(input, parameter);
  return list;
}

std::string draw_text(Input& input, const Parameter& parameter) {
  const std::array<std::string_view, 4> samples = {std::get<std::string>(parameter.default_value),
                                                   "000000", "1RB1LB_1LA1RH", "a word"};
  if (input.flag()) return input.like(samples);
  return input.text(static_cast<std::size_t>(std::min(parameter.maximum + 1, 255.0)));
}

}  // namespace

Value draw_value(Input& input, const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::kNumber:
      return draw_number(input, parameter);
    case ParameterType::kInteger:
      return draw_count(input, parameter);
    case ParameterType::kBoolean:
      return input.flag();
    case ParameterType::kChoice:
      return parameter.choices[input.byte() % parameter.choices.size()].name;
    case ParameterType::kNumbers:
      return draw_list(input, parameter);
    case ParameterType::kText:
      return draw_text(input, parameter);
    case ParameterType::kMatrix:
      break;
  }
  return input.matrix(input.count(0, 7), input.count(0, 4));
}

Value draw_any_value(Input& input) {
  switch (input.byte() % 5) {
    case 0:
      return input.number();
    case 1:
      return input.flag();
    case 2:
      return input.text(40);
    case 3:
      return input.matrix(input.count(0, 3), input.count(0, 3));
    default: {
      const Vector entries = input.vector(input.count(0, 20));
      return std::vector<double>(entries.begin(), entries.end());
    }
  }
}

}  // namespace attnlab::fuzz
