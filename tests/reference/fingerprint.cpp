// attnlab_fingerprint ID [NAME=VALUE ...] [--preset NAME] [--seed N] [--resource NAME FILE]
//
// Runs an experiment to its end natively and prints the fingerprint of its tables, 16 hexadecimal
// digits: what the WebAssembly builds are held against. A list is written 1,2,3.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/resources.h"

namespace {

using attnlab::ErrorCode;
using attnlab::fail;
using namespace attnlab::experiments;

double read_number(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') fail(ErrorCode::kType, name, "\"" + text + "\" is no number");
  return value;
}

Value read_value(const Parameter& parameter, const std::string& text) {
  switch (parameter.type) {
    case ParameterType::kNumber:
    case ParameterType::kInteger:
      return read_number(parameter.name, text);
    case ParameterType::kBoolean:
      return text == "true";
    case ParameterType::kChoice:
    case ParameterType::kText:
      return text;
    case ParameterType::kNumbers: {
      std::vector<double> list;
      for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        list.push_back(read_number(parameter.name, text.substr(begin, comma - begin)));
        begin = comma + 1;
      }
      return list;
    }
    case ParameterType::kMatrix:
      break;
  }
  fail(ErrorCode::kType, parameter.name, "a matrix cannot be given here");
}

std::uint64_t run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) fail(ErrorCode::kMissing, "experiment", "its id is expected");
  const Experiment& experiment = find_experiment(arguments[0]);
  Values values;
  std::uint64_t seed = 1;
  const auto following = [&](std::size_t i) -> const std::string& {
    if (i >= arguments.size()) fail(ErrorCode::kMissing, arguments.back(), "a value is expected");
    return arguments[i];
  };
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--seed") {
      seed = std::strtoull(following(++i).c_str(), nullptr, 10);
    } else if (argument == "--preset") {
      values = preset_values(experiment.descriptor(), following(++i));
    } else if (argument == "--resource") {
      const std::string& name = following(++i);
      std::ifstream file(following(++i), std::ios::binary);
      if (!file) fail(ErrorCode::kMissing, "resource", "\"" + arguments[i] + "\" cannot be read");
      const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
      provide_resource(name, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    } else {
      const std::size_t equals = argument.find('=');
      const std::string name = argument.substr(0, equals);
      if (equals == std::string::npos) fail(ErrorCode::kMalformed, name, "NAME=VALUE is expected");
      for (const auto& parameter : experiment.descriptor().parameters)
        if (parameter.name == name)
          values[name] = read_value(parameter, argument.substr(equals + 1));
      if (values.find(name) == values.end())
        fail(ErrorCode::kUnknownName, name, "is not a parameter of " + experiment.descriptor().id);
    }
  }
  return fingerprint(run_to_end(experiment, values, seed).tables);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const std::uint64_t print = run({arguments + 1, arguments + count});
    std::printf("%016llx\n", static_cast<unsigned long long>(print));
    return 0;
  } catch (const attnlab::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
