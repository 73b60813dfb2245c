#include "experiments/token_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "experiments/parameters.h"
#include "measure/principal.h"

namespace attnlab::experiments {
namespace {

constexpr const char* kWordVectors = "glove-4000";
constexpr std::uint64_t kDirectionStream = 0xd1;
constexpr Index kLargestDimension = 64;
constexpr Index kLargestOwnDimension = 1024;

Matrix named_covariance(const std::string& name, Index d) {
  Matrix covariance = Matrix::Identity(d, d);
  if (name == "singular") {
    // The second half of the coordinates repeats the first.
    const Index rank = (d + 1) / 2;
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j)
        covariance(i, j) = i % rank == j % rank ? 1 : 0;
  } else if (name == "kcm") {
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j < d; ++j)
        covariance(i, j) = std::ldexp(1.0, -static_cast<int>(i > j ? i - j : j - i));
  }
  return covariance;
}

Vector named_direction(const std::string& name, Index d, std::uint64_t seed) {
  Vector direction = Vector::Zero(d);
  if (name == "axis") {
    direction(0) = 1;
  } else if (name == "random") {
    RandomStream random(seed, stream_of({kDirectionStream, static_cast<std::uint64_t>(d)}));
    direction = random.gaussian_vector(d).normalized();
  } else {
    direction.setConstant(1 / std::sqrt(static_cast<double>(d)));
  }
  return direction;
}

std::unique_ptr<measure::Measure> named_measure(const Values& values, Index d) {
  const std::string& source = text(values, "source");
  const auto size = static_cast<double>(d);
  if (source == "rademacher") return measure::rademacher(d);
  if (source == "cube") return measure::cube(d, std::sqrt(3.0));
  if (source == "sphere") return measure::sphere(d, std::sqrt(size));
  if (source == "ball") return measure::ball(d, std::sqrt(size + 2));
  if (source == "laplace") return measure::laplace(d, std::sqrt(0.5));
  if (source == "exponential") return measure::exponential(d);
  if (source == "mixture") {
    const Vector centre = Vector::Constant(d, std::sqrt(0.5));
    const Matrix half = 0.5 * Matrix::Identity(d, d);
    std::vector<std::unique_ptr<measure::Measure>> clusters;
    clusters.push_back(measure::gaussian(centre, half));
    clusters.push_back(measure::gaussian(-centre, half));
    return measure::mixture(Vector::Ones(2), std::move(clusters));
  }
  return measure::gaussian(Vector::Zero(d), named_covariance(text(values, "covariance"), d));
}

measure::Scaling named_scaling(const std::string& name) {
  if (name == "none") return measure::Scaling::kNone;
  return name == "whiten" ? measure::Scaling::kWhitened : measure::Scaling::kUnitAverage;
}

Matrix own_tokens(const Values& values) {
  if (text(values, "source") == "text") return source_text(values).tokens;
  const Matrix& tokens = matrix(values, "tokens");
  if (tokens.rows() < 2)
    fail(ErrorCode::kMissing, "tokens",
         "has " + std::to_string(tokens.rows()) +
             " rows; the source \"matrix\" needs at least 2, a row a token");
  if (tokens.cols() > kLargestOwnDimension)
    fail(ErrorCode::kOutOfRange, "tokens",
         "has " + std::to_string(tokens.cols()) + " columns; at most " +
             std::to_string(kLargestOwnDimension) +
             " are allowed, since their covariance is taken apart");
  return tokens;
}

}  // namespace

std::vector<Parameter> token_source_parameters() {
  std::vector<Parameter> parameters;
  const Condition named{"source",
                        {"gaussian", "ar1", "mixture", "rademacher", "cube", "sphere", "ball",
                         "laplace", "exponential"}};
  const Condition own{"source", {"matrix", "text"}};
  {
    Parameter p;
    p.name = "source";
    p.symbol = "μ";
    p.type = ParameterType::kChoice;
    p.default_value = std::string("gaussian");
    p.label = "Tokens";
    p.help = "The law the tokens of a prompt are drawn from; named laws have unit variances.";
    p.choices = {{"gaussian", "Gaussian"},
                 {"ar1", "Gaussian, each token like the one before"},
                 {"mixture", "two Gaussian clusters"},
                 {"rademacher", "random signs"},
                 {"cube", "uniform in a cube"},
                 {"sphere", "uniform on a sphere"},
                 {"ball", "uniform in a ball"},
                 {"laplace", "Laplace"},
                 {"exponential", "centred exponential"},
                 {"text", "words of a text"},
                 {"matrix", "your matrix"}};
    p.group = "tokens";
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "dimensions";
    p.symbol = "d";
    p.type = ParameterType::kNumbers;
    p.default_value = std::vector<double>{5};
    p.minimum = 1;
    p.maximum = kLargestDimension;
    p.step = 1;
    p.label = "Dimensions";
    p.help = "Coordinates of a token; one curve for each.";
    p.maximum_count = 4;
    p.group = "tokens";
    p.shown_when = named;
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "covariance";
    p.symbol = "Γ";
    p.type = ParameterType::kChoice;
    p.default_value = std::string("isotropic");
    p.label = "Covariance";
    p.help = "Of the Gaussian tokens; every choice has unit variances.";
    p.choices = {{"isotropic", "identity"},
                 {"kcm", "½ to the power |i − j|"},
                 {"singular", "singular: half of the coordinates are copies"}};
    p.group = "tokens";
    p.shown_when = {"source", {"gaussian", "ar1"}};
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "persistence";
    p.symbol = "φ";
    p.type = ParameterType::kNumber;
    p.default_value = 0.8;
    p.minimum = -0.95;
    p.maximum = 0.99;
    p.step = 0.01;
    p.label = "Likeness to the token before";
    p.help = "x_i = φ x_{i−1} + √(1 − φ²) g_i: the limit stays, the constant grows.";
    p.group = "tokens";
    p.shown_when = {"source", {"ar1"}};
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "tokens";
    p.symbol = "X";
    p.type = ParameterType::kMatrix;
    p.default_value = Matrix(0, 0);
    p.label = "Your tokens";
    p.help = "A row a token; the measure of all rows is the reference, prompts are draws from it.";
    p.group = "tokens";
    p.shown_when = {"source", {"matrix"}};
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "text";
    p.type = ParameterType::kText;
    p.default_value = std::string(kDefaultText);
    p.maximum = 200000;
    p.label = "Text";
    p.help = "English; every word with a vector is a token, words without one are counted.";
    p.group = "tokens";
    p.shown_when = {"source", {"text"}};
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "components";
    p.symbol = "k";
    p.type = ParameterType::kInteger;
    p.default_value = 5.0;
    p.minimum = 0;
    p.maximum = kLargestDimension;
    p.step = 1;
    p.label = "Principal components";
    p.help =
        "At most this many directions of largest variance are kept; 0: the coordinates as they "
        "are.";
    p.group = "tokens";
    p.shown_when = own;
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "scaling";
    p.type = ParameterType::kChoice;
    p.default_value = std::string("unit");
    p.label = "Scaling";
    p.help = "How your tokens are scaled, so that |a| means the same for every source.";
    p.choices = {{"unit", "average variance 1"},
                 {"whiten", "every component to variance 1"},
                 {"none", "as they are"}};
    p.group = "tokens";
    p.rare = true;
    p.shown_when = own;
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "direction";
    p.symbol = "a/|a|";
    p.type = ParameterType::kChoice;
    p.default_value = std::string("diagonal");
    p.label = "Direction of a";
    p.help = "Fixed; for tokens in principal components the first axis has the largest variance.";
    p.choices = {{"diagonal", "all coordinates alike"},
                 {"axis", "first coordinate"},
                 {"random", "random, from the seed"}};
    p.group = "tokens";
    p.rare = true;
    parameters.push_back(p);
  }
  return parameters;
}

std::vector<Parameter> independent_token_parameters() {
  std::vector<Parameter> parameters = token_source_parameters();
  std::erase_if(parameters, [](const Parameter& p) { return p.name == "persistence"; });
  for (Parameter& p : parameters) {
    std::erase_if(p.choices, [](const Choice& each) { return each.name == "ar1"; });
    std::erase(p.shown_when.values, "ar1");
  }
  return parameters;
}

std::vector<ResourceNeed> token_source_resources() {
  return {{kWordVectors, {"source", {"text"}}}};
}

TextTokens source_text(const Values& values) {
  if (text(values, "source") != "text") return {};
  return text_tokens(text(values, "text"), resource(kWordVectors));
}

std::vector<TokenSource> token_sources(const Values& values, std::uint64_t seed) {
  const std::string& source = text(values, "source");
  const std::string direction =
      values.contains("direction") ? text(values, "direction") : std::string("diagonal");
  std::vector<TokenSource> sources;
  if (source == "matrix" || source == "text") {
    const Matrix own = own_tokens(values);
    const Index components = std::min(count(values, "components"), own.cols());
    const Matrix tokens =
        measure::principal_components(own, components, named_scaling(text(values, "scaling")));
    sources.push_back({measure::empirical(tokens, Vector()),
                       named_direction(direction, tokens.cols(), seed), tokens.cols(), 0.0});
    return sources;
  }
  for (const double entry : numbers(values, "dimensions")) {
    if (entry != std::floor(entry))
      fail(ErrorCode::kNotInteger, "dimensions",
           "has the entry " + show(entry) + "; whole numbers are expected");
    const auto d = static_cast<Index>(entry);
    sources.push_back({named_measure(values, d), named_direction(direction, d, seed), d,
                       source == "ar1" ? number(values, "persistence") : 0.0});
  }
  return sources;
}

double nonlinearity(const measure::Measure& measure, const VectorRef& a) {
  if (!measure.contains(a)) return std::numeric_limits<double>::quiet_NaN();
  const measure::Tilted origin = measure.tilt(Vector::Zero(measure.dimension()));
  const Vector linear = origin.covariance * a;
  const double size = linear.norm();
  if (!(size > 0)) return std::numeric_limits<double>::quiet_NaN();
  return (measure.tilt(a).mean - origin.mean - linear).norm() / size;
}

}  // namespace attnlab::experiments
