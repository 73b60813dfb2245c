// measure/ for JavaScript.
#include "measure/measure.h"

#include <emscripten/bind.h>

#include <map>
#include <memory>
#include <utility>

#include "core/nearest_name.h"
#include "core/require.h"
#include "core/result.h"
#include "wasm/boundary.h"

namespace attnlab::wasm {
namespace {

using MeasurePointer = std::unique_ptr<measure::Measure>;
using ReadMeasure = MeasurePointer (*)(const val& request);

MeasurePointer read_measure(const val& request);

Index read_dimension(const val& request) {
  constexpr Index kMost = 4096;
  return require_count(read_number(request, "dimension"), 1, kMost, "dimension");
}

MeasurePointer read_mixture(const val& request) {
  std::vector<MeasurePointer> components;
  const val list = request["components"];
  const auto count = static_cast<std::size_t>(read_number(list, "length"));
  for (std::size_t k = 0; k < count; ++k)
    components.push_back(read_measure(list[k]));
  return measure::mixture(read_vector(request["weights"]), std::move(components));
}

MeasurePointer read_empirical(const val& request) {
  return measure::empirical(read_matrix(request["tokens"], "tokens"),
                            has(request, "weights") ? read_vector(request["weights"]) : Vector());
}

MeasurePointer read_gaussian(const val& request) {
  return measure::gaussian(read_vector(request["mean"]),
                           read_matrix(request["covariance"], "covariance"));
}

// The kinds as callers spell them, one reader each.
const std::map<std::string, ReadMeasure>& readers() {
  static const std::map<std::string, ReadMeasure> all = {
      {"empirical", read_empirical},
      {"gaussian", read_gaussian},
      {"mixture", read_mixture},
      {"rademacher", [](const val& r) { return measure::rademacher(read_dimension(r)); }},
      {"cube",
       [](const val& r) { return measure::cube(read_dimension(r), read_number(r, "halfWidth")); }},
      {"sphere",
       [](const val& r) { return measure::sphere(read_dimension(r), read_number(r, "radius")); }},
      {"ball",
       [](const val& r) { return measure::ball(read_dimension(r), read_number(r, "radius")); }},
      {"laplace",
       [](const val& r) { return measure::laplace(read_dimension(r), read_number(r, "scale")); }},
      {"exponential", [](const val& r) { return measure::exponential(read_dimension(r)); }},
  };
  return all;
}

MeasurePointer read_measure(const val& request) {
  const auto kind = read_text(request, "kind");
  const auto place = readers().find(kind);
  if (place != readers().end()) return place->second(request);
  std::vector<std::string> known;
  for (const auto& reader : readers())
    known.push_back(reader.first);
  fail_unknown("kind", kind, known);
}

val attend(const val& request) {
  return guarded([&] {
    const auto measure = read_measure(request["measure"]);
    const Matrix A = read_matrix(request["A"], "A");
    const Matrix V = read_matrix(request["V"], "V");
    const Matrix queries = read_matrix(request["queries"], "queries");
    val result = val::object();
    result.set("output", write_matrix(measure::attend(*measure, A, V, queries)));
    if (read_flag(request, "returnCovariance")) {
      val covariances = val::array();
      for (Index i = 0; i < queries.rows(); ++i) {
        const Matrix covariance = measure->tilt(A * queries.row(i).transpose()).covariance;
        require_result(covariance, "queries");
        covariances.call<void>("push", write_matrix(covariance));
      }
      result.set("covariance", covariances);
    }
    return result;
  });
}

val constants(const val& request) {
  return guarded([&] {
    const auto measure = read_measure(request["measure"]);
    const Matrix V = has(request, "V")
                         ? read_matrix(request["V"], "V")
                         : Matrix(Matrix::Identity(measure->dimension(), measure->dimension()));
    const auto found = measure::constants(*measure, read_vector(request["a"]), V);
    require_result(found.output, "a");
    require_result(found.bias, "a");
    require_result(found.effective_sample_share, "a");
    val result = val::object();
    result.set("output", found.output);
    result.set("covariance", found.covariance);
    result.set("bias", write_vector(found.bias));
    result.set("effectiveSampleShare", found.effective_sample_share);
    return result;
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_measure) {
  emscripten::function("measureAttend", &attend);
  emscripten::function("measureConstants", &constants);
}

}  // namespace attnlab::wasm
