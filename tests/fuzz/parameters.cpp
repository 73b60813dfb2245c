// The check of parameters against a descriptor: what it lets through keeps every limit.
#include "experiments/parameters.h"

#include <algorithm>
#include <cmath>

#include "experiments/registry.h"
#include "target.h"
#include "values.h"

namespace attnlab::fuzz {
namespace {

using namespace attnlab::experiments;

void check_number(const Parameter& parameter, double value) {
  expect(value >= parameter.minimum && value <= parameter.maximum,
         parameter.name + " is " + show(value));
}

void check_value(const Parameter& parameter, const Value& value) {
  switch (parameter.type) {
    case ParameterType::kNumber:
      return check_number(parameter, std::get<double>(value));
    case ParameterType::kInteger:
      expect(std::get<double>(value) == std::floor(std::get<double>(value)), "not whole");
      return check_number(parameter, std::get<double>(value));
    case ParameterType::kBoolean:
      expect(std::holds_alternative<bool>(value), parameter.name + " is no boolean");
      return;
    case ParameterType::kChoice:
      expect(
          std::any_of(parameter.choices.begin(), parameter.choices.end(),
                      [&](const Choice& one) { return one.name == std::get<std::string>(value); }),
          parameter.name + " is no choice");
      return;
    case ParameterType::kNumbers:
      for (const double entry : std::get<std::vector<double>>(value))
        check_number(parameter, entry);
      return;
    case ParameterType::kText:
      expect(static_cast<double>(std::get<std::string>(value).size()) <= parameter.maximum,
             parameter.name + " is too long");
      return;
    case ParameterType::kMatrix:
      expect_finite(std::get<Matrix>(value), parameter.name);
  }
}

std::string draw_name(Input& input, const Descriptor& descriptor) {
  const auto& parameters = descriptor.parameters;
  if (input.byte() < 24) return input.text(40);
  return parameters[input.byte() % parameters.size()].name;
}

void run(Input& input) {
  const auto& all = all_experiments();
  const Descriptor& descriptor = all[input.byte() % all.size()].descriptor();
  Values given;
  for (Index count = input.count(0, 6); count > 0; --count) {
    const std::string name = draw_name(input, descriptor);
    const auto place = std::find_if(descriptor.parameters.begin(), descriptor.parameters.end(),
                                    [&](const Parameter& one) { return one.name == name; });
    const bool fits = place != descriptor.parameters.end() && input.flag();
    given[name] = fits ? draw_value(input, *place) : draw_any_value(input);
  }
  accepted([&] {
    const Values values = complete(descriptor, given);
    expect(values.size() == descriptor.parameters.size(), "a value a parameter");
    for (const auto& parameter : descriptor.parameters)
      check_value(parameter, values.at(parameter.name));
    for (const auto& entry : complete(descriptor, values))
      expect(entry.second.index() == values.at(entry.first).index(), "completing again changes");
  });
}

const Target kTarget("parameters", run);

}  // namespace
}  // namespace attnlab::fuzz
