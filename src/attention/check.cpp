#include "attention/check.h"

#include <cmath>
#include <string>
#include <type_traits>

#include "core/magnitude.h"
#include "core/require.h"

namespace attnlab::attention {
namespace {

template <class Scalar>
void check_token_weights(const VectorRefOf<Scalar>& token_weights, Index keys) {
  if (token_weights.size() == 0) return;
  require_shape(token_weights.size(), 1, keys, 1, "weights");
  bool some = false;
  for (Index j = 0; j < token_weights.size(); ++j) {
    const auto weight = static_cast<double>(token_weights(j));
    const auto entry = [&] { return "entry " + std::to_string(j) + " is " + show(weight); };
    if (!std::isfinite(weight))
      fail(ErrorCode::kNotFinite, "weights", entry() + "; finite numbers are expected");
    if (weight < 0) fail(ErrorCode::kOutOfRange, "weights", entry() + "; at least 0 is allowed");
    some = some || weight > 0;
  }
  if (!some) fail(ErrorCode::kOutOfRange, "weights", "are all 0; one above 0 is needed");
  require_finite_sum(token_weights, "weights");
}

// Largest magnitudes of queries and keys, the length of both, and how many tokens there are.
struct Extent {
  double query;
  double key;
  Index depth;
  Index tokens;
};

// No score, nor a part of its sum, can leave the range of Scalar; nor can the sum of weights that
// grow as their scores do.
template <class Scalar>
void check_range(const Extent& extent, const Options& options) {
  constexpr double kLimit = std::is_same_v<Scalar, float> ? 1e37 : 1e307;
  const double query = std::fabs(options.scale) * extent.query;
  const double sum = query * extent.key * static_cast<double>(extent.depth);
  const double bias = uses_bias(options.kernel) ? std::fabs(options.bias) : 0.0;
  const double offset = uses_offset(options.kernel) ? std::fabs(options.offset) : 0.0;
  const double bound = std::fmax(query, sum) + bias + offset;
  const char* type = std::is_same_v<Scalar, float> ? "float" : "double";
  if (!(bound <= kLimit)) {
    // Whichever is largest is to blame.
    const bool shifted = std::fmax(bias, offset) > std::fmax(query, sum);
    const double factor = std::fabs(options.scale);
    const char* parameter = shifted ? (bias > offset ? "bias" : "offset")
                            : factor > extent.query && factor > extent.key ? "scale"
                            : extent.key > extent.query                    ? "keys"
                                                                           : "queries";
    fail(
        ErrorCode::kOutOfRange, parameter,
        "scores may reach " + show(bound) + " in size; " + show(kLimit) + " is allowed in " + type);
  }
  if (options.kernel != Kernel::kRelu && options.kernel != Kernel::kSoftplus) return;
  // Token weights are below 2 there (KeySide).
  const double total = 2 * bound * static_cast<double>(extent.tokens);
  if (!(total <= 10 * kLimit))
    fail(ErrorCode::kOutOfRange, "queries",
         "scores may sum to " + show(total) + " over the tokens; " + show(10 * kLimit) +
             " is allowed in " + type);
}

}  // namespace

template <class Scalar>
void check_scores(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                  const VectorRefOf<Scalar>& token_weights, const Options& options) {
  kernel_name(options.kernel);
  require_finite(options.scale, "scale");
  require_finite(options.offset, "offset");
  require_finite(options.bias, "bias");
  if (keys.rows() == 0) fail(ErrorCode::kShape, "keys", "has 0 rows; at least 1 is expected");
  require_shape(queries.rows(), queries.cols(), -1, keys.cols(), "queries");
  if (options.causal && queries.rows() > keys.rows())
    fail(ErrorCode::kShape, "causal",
         "needs at most as many queries as keys; there are " + std::to_string(queries.rows()) +
             " and " + std::to_string(keys.rows()));
  const double largest_query = require_finite(queries, "queries");
  const double largest_key = require_finite(keys, "keys");
  check_token_weights<Scalar>(token_weights, keys.rows());
  check_range<Scalar>({largest_query, largest_key, keys.cols(), keys.rows()}, options);
}

template <class Scalar>
void check_values(const MatrixRefOf<Scalar>& keys, const MatrixRefOf<Scalar>& values) {
  require_shape(values.rows(), values.cols(), keys.rows(), -1, "values");
  require_finite(values, "values");
}

template <class Scalar>
void check_result(const MatrixOf<Scalar>& result) {
  if (std::isfinite(largest_magnitude<Scalar>(result))) return;
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index j = 0; j < result.cols(); ++j) {
      if (std::isfinite(result(i, j))) continue;
      fail(ErrorCode::kOutOfRange, "values",
           "row " + std::to_string(i) + " has a result outside the range of a " +
               (std::is_same_v<Scalar, float> ? "float" : "double") +
               "; smaller values or scores are expected");
    }
  }
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                           \
  template void check_scores<Scalar>(const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&,  \
                                     const VectorRefOf<Scalar>&, const Options&);             \
  template void check_values<Scalar>(const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&); \
  template void check_result<Scalar>(const MatrixOf<Scalar>&);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention
