// Linear attention with whole-number weights on sparse whole-number tokens, executed exactly.
//
// Programs for linear attention (arXiv 2410.10101, section 3.1 and appendix F) have thousands of
// coordinates, heads with a handful of entries, and tokens with one to three ones. The sums
// y = sum_h V_h G Q_h z_n of Definition 2.1 are then a few look-ups, and no rounding takes place.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/types.h"
#include "mhla/model.h"

namespace attnlab::mhla {

struct RowValue {
  Index row;
  std::int64_t value;
  bool operator==(const RowValue&) const = default;
};
// Entries other than 0, in ascending order of their rows.
using SparseToken = std::vector<RowValue>;

// Ones at the given rows, in any order; each row once.
SparseToken one_hot_token(std::initializer_list<Index> rows);
// Whether every entry is 0 or 1.
bool is_zero_one(const SparseToken& token);

struct MatrixEntry {
  Index row;
  Index column;
  std::int64_t value = 1;
};
struct SparseHead {
  std::vector<MatrixEntry> value;  // V, d x d
  std::vector<MatrixEntry> query;  // Q, d x d; columns act on the last token
};
struct SparseHeads {
  Index dimension = 0;  // d
  std::vector<SparseHead> heads;
};

// The same as full matrices, for small d: 16 H d^2 bytes.
Heads dense_heads(const SparseHeads& heads);
// n x d.
Matrix dense_prompt(std::span<const SparseToken> tokens, Index d);

// A growing prompt under fixed heads.
class SparseAttention {
 public:
  // Entries of size at most 2^20 within d x d; throws kOutOfRange ("heads").
  explicit SparseAttention(SparseHeads heads);

  Index dimension() const { return heads_.dimension; }
  Index head_count() const { return static_cast<Index>(heads_.heads.size()); }
  const SparseHeads& heads() const { return heads_; }

  // Throws kOutOfRange ("token") for rows outside of 0 ... d - 1 or out of order, zeros, and
  // entries above 2^20. Together with the limit on the heads this keeps the sums within 64 bits for
  // prompts of one-hot tokens; it does not for arbitrary data.
  void append(SparseToken token);
  void clear();
  const std::vector<SparseToken>& tokens() const { return tokens_; }

  // The last token's output. kMissing ("token") without tokens. Cost: the heads that the last
  // token drives, times the tokens that they find.
  SparseToken output();
  // The same, appended as the next token: one step of autoregression.
  const SparseToken& step();

  // Which tokens the last output() read: <z_t, Q_h z_n> other than 0.
  struct Read {
    Index head;
    Index token;
    std::int64_t score;
  };
  const std::vector<Read>& reads() const { return reads_; }

 private:
  struct QueryEntry {
    Index column, head, row;
    std::int64_t value;
  };
  SparseHeads heads_;
  std::vector<QueryEntry> queries_;        // by column, then head
  std::vector<std::size_t> query_starts_;  // of each column in queries_; d + 1
  std::vector<SparseToken> tokens_;
  std::vector<std::vector<RowValue>> found_;  // for each row, the tokens (as `row`) that have it
  std::vector<Read> reads_;
};

}  // namespace attnlab::mhla
