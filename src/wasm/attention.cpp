// attention/ for JavaScript. `request` is an object whose fields web/lib/attention.ts has
// converted; `single` says that its matrices hold Float32Arrays.
#include "attention/attention.h"

#include <emscripten/bind.h>

#include "core/require.h"
#include "wasm/boundary.h"

namespace attnlab::wasm {
namespace {

attention::Options read_options(const val& request) {
  attention::Options options;
  options.kernel = attention::kernel_named(read_text(request, "kernel"));
  options.scale = read_number(request, "scale");
  options.offset = read_number(request, "offset");
  options.bias = read_number(request, "bias");
  options.causal = read_flag(request, "causal");
  return options;
}

template <class Scalar>
VectorOf<Scalar> read_token_weights(const val& request) {
  return has(request, "weights") ? read_vector_of<Scalar>(request["weights"]) : VectorOf<Scalar>();
}

template <class Scalar>
val forward_in(const val& request) {
  const auto queries = read_matrix_of<Scalar>(request["queries"], "queries");
  const auto keys = read_matrix_of<Scalar>(request["keys"], "keys");
  const auto values = read_matrix_of<Scalar>(request["values"], "values");
  const auto token_weights = read_token_weights<Scalar>(request);
  const auto options = read_options(request);
  val result = val::object();
  result.set("output", write_matrix_of<Scalar>(attention::forward<Scalar>(queries, keys, values,
                                                                          token_weights, options)));
  if (read_flag(request, "returnWeights")) {
    const double bytes = static_cast<double>(queries.rows()) * static_cast<double>(keys.rows()) *
                         static_cast<double>(sizeof(Scalar));
    require_memory(bytes, kLargestResultBytes, "returnWeights");
    result.set("weights", write_matrix_of<Scalar>(
                              attention::weights<Scalar>(queries, keys, token_weights, options)));
  }
  return result;
}

template <class Scalar>
val gradient_in(const val& request) {
  const auto queries = read_matrix_of<Scalar>(request["queries"], "queries");
  const auto keys = read_matrix_of<Scalar>(request["keys"], "keys");
  const auto values = read_matrix_of<Scalar>(request["values"], "values");
  const auto token_weights = read_token_weights<Scalar>(request);
  const auto output_gradient = read_matrix_of<Scalar>(request["outputGradient"], "outputGradient");
  const auto gradient = attention::gradient<Scalar>(queries, keys, values, token_weights,
                                                    output_gradient, read_options(request));
  val result = val::object();
  result.set("queries", write_matrix_of<Scalar>(gradient.queries));
  result.set("keys", write_matrix_of<Scalar>(gradient.keys));
  result.set("values", write_matrix_of<Scalar>(gradient.values));
  return result;
}

template <class Scalar>
val forward_batch_in(const val& request) {
  const auto queries = read_matrix_of<Scalar>(request["queries"], "queries");
  const auto keys = read_matrix_of<Scalar>(request["keys"], "keys");
  const auto values = read_matrix_of<Scalar>(request["values"], "values");
  val result = val::object();
  result.set("output", write_matrix_of<Scalar>(attention::forward_batch<Scalar>(
                           queries, keys, values, read_token_weights<Scalar>(request),
                           read_counts(request["queryLengths"]), read_counts(request["keyLengths"]),
                           read_options(request))));
  return result;
}

val forward(const val& request, bool single) {
  return guarded([&] { return single ? forward_in<float>(request) : forward_in<double>(request); });
}

val gradient(const val& request, bool single) {
  return guarded(
      [&] { return single ? gradient_in<float>(request) : gradient_in<double>(request); });
}

val forward_batch(const val& request, bool single) {
  return guarded([&] {
    return single ? forward_batch_in<float>(request) : forward_batch_in<double>(request);
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_attention) {
  emscripten::function("attentionForward", &forward);
  emscripten::function("attentionGradient", &gradient);
  emscripten::function("attentionForwardBatch", &forward_batch);
}

}  // namespace attnlab::wasm
