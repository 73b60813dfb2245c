#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "experiments/descriptor.h"
#include "experiments/registry.h"
#include "sample_experiment.h"

using namespace attnlab;
using namespace attnlab::experiments;
using nlohmann::json;

namespace {

json sample() {
  return json::parse(to_json(tests::sample_experiment().descriptor()));
}

}  // namespace

TEST_CASE("a descriptor's JSON reads back with every field") {
  const json read = sample();
  CHECK(read["id"] == "sample.sums");
  CHECK(read["title"] == "Say \"sum\"?\n");
  CHECK(read["parameters"].size() == 9);
  CHECK(read["parameters"][0]["type"] == "integer");
  CHECK(read["parameters"][0]["maximum"] == 100);
  CHECK(read["parameters"][4]["default"] == false);
  CHECK(read["parameters"][5]["choices"][1]["name"] == "linear");
  CHECK(read["parameters"][6]["default"] == json::array({1, 2}));
  CHECK(read["presets"][0]["values"]["kernel"] == "linear");
  CHECK(read["tables"][0]["columns"][0]["type"] == "text");
  CHECK(read["tables"][0]["columns"][2]["unit"] == "steps");
}

TEST_CASE("infinities, which JSON does not have, are strings") {
  const json read = sample();
  CHECK(read["parameters"][3]["default"] == "Infinity");
  CHECK(read["parameters"][3]["maximum"] == "Infinity");
}

TEST_CASE("a matrix is its sides and its row-major data") {
  auto descriptor = tests::sample_experiment().descriptor();
  Matrix tokens(2, 3);
  tokens << 1, 2, 3, 4, 5, 6.5;
  descriptor.parameters[8].default_value = tokens;
  const json value = json::parse(to_json(descriptor))["parameters"][8]["default"];
  CHECK(value["rows"] == 2);
  CHECK(value["columns"] == 3);
  CHECK(value["data"] == json::array({1, 2, 3, 4, 5, 6.5}));
}

TEST_CASE("numbers read back to the same bits") {
  auto descriptor = tests::sample_experiment().descriptor();
  const std::vector<double> hard = {0.1, 1.0 / 3.0, 5e-324, 1.7976931348623157e308, 2.5e-7};
  descriptor.parameters[6].default_value = hard;
  const json value = json::parse(to_json(descriptor))["parameters"][6]["default"];
  CHECK(value.get<std::vector<double>>() == hard);
}

TEST_CASE("control characters and other alphabets survive") {
  auto descriptor = tests::sample_experiment().descriptor();
  const std::string hard = "\t\x01 λ √n 注意 </script> \\";
  descriptor.summary = hard;
  CHECK(json::parse(to_json(descriptor))["summary"] == hard);
}

TEST_CASE("every registered experiment's JSON can be parsed") {
  for (const auto& experiment : all_experiments()) {
    CAPTURE(experiment.descriptor().id);
    CHECK(json::parse(to_json(experiment.descriptor()))["id"] == experiment.descriptor().id);
  }
}
