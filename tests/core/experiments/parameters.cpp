#include "experiments/parameters.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "core/error.h"
#include "sample_experiment.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Refusal {
  ErrorCode code;
  std::string parameter;
  std::string message;
};

Refusal refusal_of(const Values& given) {
  const auto experiment = tests::sample_experiment();
  try {
    complete(experiment.descriptor(), given);
  } catch (const Error& error) {
    return {error.code(), error.parameter(), error.what()};
  }
  FAIL("was not refused");
  return {};
}

}  // namespace

TEST_CASE("missing parameters take their defaults") {
  const auto experiment = tests::sample_experiment();
  const auto values = complete(experiment.descriptor(), {{"steps", 3.0}});
  CHECK(values.size() == experiment.descriptor().parameters.size());
  CHECK(count(values, "steps") == 3);
  CHECK(count(values, "tasks") == 4);
  CHECK(number(values, "snr") == kInfinity);
  CHECK(flag(values, "centred") == false);
  CHECK(text(values, "kernel") == "softmax");
  CHECK(numbers(values, "sizes") == std::vector<double>{1, 2});
  CHECK(matrix(values, "tokens").size() == 0);
}

TEST_CASE("a value outside its limits is refused with the limits in the message") {
  const auto refusal = refusal_of({{"steps", 1e18}});
  CHECK(refusal.code == ErrorCode::kOutOfRange);
  CHECK(refusal.parameter == "steps");
  CHECK(refusal.message.find("1 to 1000") != std::string::npos);
  CHECK(refusal_of({{"steps", -1.0}}).code == ErrorCode::kOutOfRange);
  CHECK(refusal_of({{"steps", 0.0}}).code == ErrorCode::kOutOfRange);
}

TEST_CASE(
    "a fraction is no whole number, and NaN and infinities are no numbers where finite ones are "
    "meant") {
  CHECK(refusal_of({{"steps", 2.5}}).code == ErrorCode::kNotInteger);
  CHECK(refusal_of({{"steps", kNaN}}).code == ErrorCode::kNotFinite);
  CHECK(refusal_of({{"steps", kInfinity}}).code == ErrorCode::kNotFinite);
  CHECK(refusal_of({{"steps", -kInfinity}}).code == ErrorCode::kNotFinite);
  CHECK(refusal_of({{"snr", kNaN}}).code == ErrorCode::kNotFinite);
}

TEST_CASE("an infinite bound lets that infinity in and no other") {
  const auto experiment = tests::sample_experiment();
  CHECK_NOTHROW(complete(experiment.descriptor(), {{"snr", kInfinity}}));
  CHECK(refusal_of({{"snr", -kInfinity}}).code == ErrorCode::kNotFinite);
}

TEST_CASE("a value of another type is refused, whatever the type asked for") {
  const std::vector<Value> values = {1.0, true, std::string("softmax"), std::vector<double>{1},
                                     Matrix(Matrix::Zero(1, 1))};
  const std::vector<std::pair<std::string, std::size_t>> fits = {
      {"snr", 0}, {"steps", 0}, {"centred", 1}, {"kernel", 2}, {"sizes", 3}, {"tokens", 4}};
  for (const auto& fit : fits) {
    const auto& name = fit.first;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i == fit.second) continue;
      CAPTURE(name);
      CAPTURE(i);
      const auto refusal = refusal_of({{name, values[i]}});
      CHECK(refusal.code == ErrorCode::kType);
      CHECK(refusal.parameter == name);
    }
  }
}

TEST_CASE("an unknown name is refused with the nearest one") {
  const auto refusal = refusal_of({{"stepz", 3.0}});
  CHECK(refusal.code == ErrorCode::kUnknownName);
  CHECK(refusal.parameter == "stepz");
  CHECK(refusal.message.find("\"steps\"") != std::string::npos);
  CHECK(refusal_of({{"__proto__", 3.0}}).code == ErrorCode::kUnknownName);
  CHECK(refusal_of({{"", 3.0}}).code == ErrorCode::kUnknownName);
}

TEST_CASE("a choice must be one of the choices, spelled as they are") {
  CHECK(refusal_of({{"kernel", std::string("Softmax")}}).code == ErrorCode::kUnknownName);
  CHECK(refusal_of({{"kernel", std::string("")}}).code == ErrorCode::kUnknownName);
  const auto refusal = refusal_of({{"kernel", std::string(100000, 'x')}});
  CHECK(refusal.message.size() < 500);
}

TEST_CASE("a list is checked for its length and for each entry") {
  CHECK(refusal_of({{"sizes", std::vector<double>{}}}).code == ErrorCode::kOutOfRange);
  CHECK(refusal_of({{"sizes", std::vector<double>(4, 1)}}).code == ErrorCode::kOutOfRange);
  CHECK(refusal_of({{"sizes", std::vector<double>{1, 6}}}).code == ErrorCode::kOutOfRange);
  CHECK(refusal_of({{"sizes", std::vector<double>{1, kNaN}}}).code == ErrorCode::kNotFinite);
}

TEST_CASE("a text above its limit in bytes and a matrix with NaN are refused") {
  CHECK(refusal_of({{"text", std::string("123456789")}}).code == ErrorCode::kTooLarge);
  Matrix tokens = Matrix::Zero(2, 3);
  tokens(1, 2) = kNaN;
  const auto refusal = refusal_of({{"tokens", tokens}});
  CHECK(refusal.code == ErrorCode::kNotFinite);
  CHECK(refusal.message.find("row 1, column 2") != std::string::npos);
}

TEST_CASE("a preset lies over the defaults, and an unknown one is refused") {
  const auto experiment = tests::sample_experiment();
  const auto values = preset_values(experiment.descriptor(), "longer");
  CHECK(count(values, "steps") == 20);
  CHECK(text(values, "kernel") == "linear");
  CHECK(count(values, "tasks") == 4);
  CHECK_THROWS_AS(preset_values(experiment.descriptor(), "shorter"), Error);
}

TEST_CASE("an experiment that asks for what it does not have is a fault of this library") {
  const auto values = complete(tests::sample_experiment().descriptor(), {});
  try {
    number(values, "kernel");
    FAIL("was not refused");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kInternal);
  }
  CHECK_THROWS_AS(number(values, "missing"), Error);
}

TEST_CASE("an error names a parameter also where the name given is empty") {
  const Refusal refusal = refusal_of({{"", 1.0}});
  CHECK(refusal.code == ErrorCode::kUnknownName);
  CHECK(refusal.parameter == "parameters");
  CHECK(refusal.message == "parameters: has an empty name");
}
