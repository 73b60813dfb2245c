#include <string>

#include "attention/attention.h"
#include "attention/check.h"
#include "core/require.h"

namespace attnlab::attention {
namespace {

void check_lengths(const std::vector<Index>& lengths, Index rows, std::string_view parameter) {
  Index left = rows;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    if (lengths[b] < 0 || lengths[b] > left)
      fail(ErrorCode::kOutOfRange, parameter,
           "entry " + std::to_string(b) + " is " + std::to_string(lengths[b]) + "; 0 to " +
               std::to_string(left) + " is allowed, the rows that are left");
    left -= lengths[b];
  }
  if (left != 0)
    fail(ErrorCode::kShape, parameter,
         "sum to " + std::to_string(rows - left) + "; " + std::to_string(rows) + " is expected");
}

// Where a prompt's queries and keys stand.
struct Prompt {
  Index first_query;
  Index query_count;
  Index first_key;
  Index key_count;
};

// The prompts that have queries.
std::vector<Prompt> cut_prompts(const std::vector<Index>& query_lengths,
                                const std::vector<Index>& key_lengths) {
  std::vector<Prompt> prompts;
  Index query = 0;
  Index key = 0;
  for (std::size_t b = 0; b < query_lengths.size(); ++b) {
    if (query_lengths[b] > 0) {
      if (key_lengths[b] == 0)
        fail(ErrorCode::kOutOfRange, "keyLengths",
             "entry " + std::to_string(b) + " is 0; a prompt with queries needs a key");
      prompts.push_back({query, query_lengths[b], key, key_lengths[b]});
    }
    query += query_lengths[b];
    key += key_lengths[b];
  }
  return prompts;
}

}  // namespace

template <class Scalar>
MatrixOf<Scalar> forward_batch(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                               const MatrixRefOf<Scalar>& values,
                               const VectorRefOf<Scalar>& token_weights,
                               const std::vector<Index>& query_lengths,
                               const std::vector<Index>& key_lengths, const Options& options) {
  if (query_lengths.size() != key_lengths.size())
    fail(ErrorCode::kShape, "keyLengths",
         "has " + std::to_string(key_lengths.size()) + " entries; " +
             std::to_string(query_lengths.size()) + " are expected");
  check_lengths(query_lengths, queries.rows(), "queryLengths");
  check_lengths(key_lengths, keys.rows(), "keyLengths");
  check_values<Scalar>(keys, values);
  if (token_weights.size() != 0) require_shape(token_weights.size(), 1, keys.rows(), 1, "weights");
  require_finite(queries, "queries");
  require_finite(keys, "keys");
  const auto token_weights_of = [&](const Prompt& prompt) -> VectorOf<Scalar> {
    if (token_weights.size() == 0) return {};
    return token_weights.segment(prompt.first_key, prompt.key_count);
  };
  const std::vector<Prompt> prompts = cut_prompts(query_lengths, key_lengths);
  for (const Prompt& prompt : prompts)
    check_scores<Scalar>(queries.middleRows(prompt.first_query, prompt.query_count),
                         keys.middleRows(prompt.first_key, prompt.key_count),
                         token_weights_of(prompt), options);
  MatrixOf<Scalar> output(queries.rows(), values.cols());
  for (const Prompt& prompt : prompts)
    output.middleRows(prompt.first_query, prompt.query_count) = forward<Scalar>(
        queries.middleRows(prompt.first_query, prompt.query_count),
        keys.middleRows(prompt.first_key, prompt.key_count),
        values.middleRows(prompt.first_key, prompt.key_count), token_weights_of(prompt), options);
  return output;
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                       \
  template MatrixOf<Scalar> forward_batch<Scalar>(                                        \
      const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&, \
      const VectorRefOf<Scalar>&, const std::vector<Index>&, const std::vector<Index>&,   \
      const Options&);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention
