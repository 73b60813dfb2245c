#include "reference.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>

namespace attnlab::tests {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double largest(const MatrixRef& actual, const MatrixRef& expected, bool relative) {
  if (actual.rows() != expected.rows() || actual.cols() != expected.cols()) return kInfinity;
  double result = 0;
  for (Index i = 0; i < actual.rows(); ++i) {
    for (Index j = 0; j < actual.cols(); ++j) {
      if (actual(i, j) == expected(i, j)) continue;
      double difference = std::fabs(actual(i, j) - expected(i, j));
      if (relative) difference /= std::fmax(1, std::fabs(expected(i, j)));
      if (!(difference <= result)) result = std::isnan(difference) ? kInfinity : difference;
    }
  }
  return result;
}

}  // namespace

const nlohmann::json& reference(const std::string& name) {
  static std::map<std::string, nlohmann::json> read;
  const auto found = read.find(name);
  if (found != read.end()) return found->second;
  const std::string path = std::string(ATTNLAB_REFERENCE_DIR) + "/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return read.emplace(name, nlohmann::json::parse(file)).first->second;
}

Matrix to_matrix(const nlohmann::json& rows) {
  const auto height = static_cast<Index>(rows.size());
  const auto width = height == 0 ? Index{0} : static_cast<Index>(rows.at(0).size());
  Matrix matrix(height, width);
  for (Index i = 0; i < height; ++i) {
    const auto& row = rows.at(static_cast<std::size_t>(i));
    if (static_cast<Index>(row.size()) != width) throw std::runtime_error("rows of unequal length");
    for (Index j = 0; j < width; ++j)
      matrix(i, j) = row.at(static_cast<std::size_t>(j)).get<double>();
  }
  return matrix;
}

Vector to_vector(const nlohmann::json& entries) {
  Vector vector(static_cast<Index>(entries.size()));
  for (Index i = 0; i < vector.size(); ++i)
    vector(i) = entries.at(static_cast<std::size_t>(i)).get<double>();
  return vector;
}

bool close(double actual, double expected, double relative, double absolute) {
  if (actual == expected) return true;
  return std::fabs(actual - expected) <= absolute + relative * std::fabs(expected);
}

double largest_difference(const MatrixRef& actual, const MatrixRef& expected) {
  return largest(actual, expected, false);
}

double largest_relative_difference(const MatrixRef& actual, const MatrixRef& expected) {
  return largest(actual, expected, true);
}

}  // namespace attnlab::tests
