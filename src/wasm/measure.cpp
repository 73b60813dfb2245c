// measure/ for JavaScript.
#include "measure/measure.h"

#include <emscripten/bind.h>

#include "core/nearest_name.h"
#include "wasm/boundary.h"

namespace attnlab::wasm {
namespace {

std::unique_ptr<measure::Measure> read_measure(const val& request) {
  const auto kind = read_text(request, "kind");
  if (kind == "empirical")
    return measure::empirical(read_matrix(request["tokens"], "tokens"),
                              has(request, "weights") ? read_vector(request["weights"]) : Vector());
  if (kind == "gaussian")
    return measure::gaussian(read_vector(request["mean"]),
                             read_matrix(request["covariance"], "covariance"));
  fail(ErrorCode::kUnknownName, "kind",
       "\"" + kind + "\" is not known" + nearest_name_hint(kind, {"empirical", "gaussian"}));
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
      for (Index i = 0; i < queries.rows(); ++i)
        covariances.call<void>(
            "push", write_matrix(measure->tilt(A * queries.row(i).transpose()).covariance));
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
