#include "mhla/one_hot_attention.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/require.h"

namespace attnlab::mhla {
namespace {

constexpr std::int64_t kLargestEntryOfProgram = std::int64_t{1} << 20;
constexpr Index kLargestDense = 512;

void require_entry(const MatrixEntry& entry, Index d) {
  if (entry.row < 0 || entry.row >= d || entry.column < 0 || entry.column >= d)
    fail(ErrorCode::kOutOfRange, "heads",
         "have an entry at (" + std::to_string(entry.row) + ", " + std::to_string(entry.column) +
             ") of matrices of size " + std::to_string(d));
  if (entry.value > kLargestEntryOfProgram || entry.value < -kLargestEntryOfProgram)
    fail(ErrorCode::kOutOfRange, "heads", "have an entry of size above 2^20");
}

// Adds up entries of equal rows and drops what cancels.
void settle(SparseToken& token) {
  std::sort(token.begin(), token.end(),
            [](const RowValue& a, const RowValue& b) { return a.row < b.row; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < token.size();) {
    RowValue sum{token[i].row, 0};
    for (; i < token.size() && token[i].row == sum.row; ++i)
      sum.value += token[i].value;
    if (sum.value != 0) token[kept++] = sum;
  }
  token.resize(kept);
}

}  // namespace

SparseToken one_hot_token(std::initializer_list<Index> rows) {
  SparseToken token;
  for (const Index row : rows)
    token.push_back({row, 1});
  std::sort(token.begin(), token.end(),
            [](const RowValue& a, const RowValue& b) { return a.row < b.row; });
  return token;
}

bool is_zero_one(const SparseToken& token) {
  return std::all_of(token.begin(), token.end(), [](const RowValue& x) { return x.value == 1; });
}

Heads dense_heads(const SparseHeads& heads) {
  const Index d = heads.dimension;
  if (d > kLargestDense)
    fail(ErrorCode::kTooLarge, "heads",
         "of " + std::to_string(d) + " coordinates are kept sparse; full matrices are made up to " +
             std::to_string(kLargestDense));
  Heads result;
  for (const SparseHead& head : heads.heads) {
    Head full{Matrix::Zero(d, d), Matrix::Zero(d, d)};
    for (const MatrixEntry& entry : head.value)
      full.value(entry.row, entry.column) += static_cast<double>(entry.value);
    for (const MatrixEntry& entry : head.query)
      full.query(entry.row, entry.column) += static_cast<double>(entry.value);
    result.push_back(std::move(full));
  }
  return result;
}

Matrix dense_prompt(std::span<const SparseToken> tokens, Index d) {
  Matrix prompt = Matrix::Zero(static_cast<Index>(tokens.size()), d);
  for (std::size_t t = 0; t < tokens.size(); ++t)
    for (const RowValue& x : tokens[t])
      prompt(static_cast<Index>(t), x.row) = static_cast<double>(x.value);
  return prompt;
}

SparseAttention::SparseAttention(SparseHeads heads) : heads_(std::move(heads)) {
  const Index d = heads_.dimension;
  if (d < 1) fail(ErrorCode::kOutOfRange, "heads", "have no coordinates");
  for (std::size_t h = 0; h < heads_.heads.size(); ++h) {
    SparseHead& head = heads_.heads[h];
    for (const MatrixEntry& entry : head.value)
      require_entry(entry, d);
    // By column, since the sums of a head are multiplied by V column by column.
    std::stable_sort(
        head.value.begin(), head.value.end(),
        [](const MatrixEntry& a, const MatrixEntry& b) { return a.column < b.column; });
    for (const MatrixEntry& entry : head.query) {
      require_entry(entry, d);
      queries_.push_back({entry.column, static_cast<Index>(h), entry.row, entry.value});
    }
  }
  std::stable_sort(queries_.begin(), queries_.end(),
                   [](const QueryEntry& a, const QueryEntry& b) { return a.column < b.column; });
  query_starts_.assign(static_cast<std::size_t>(d) + 1, 0);
  for (const QueryEntry& entry : queries_)
    ++query_starts_[static_cast<std::size_t>(entry.column) + 1];
  for (std::size_t c = 1; c < query_starts_.size(); ++c)
    query_starts_[c] += query_starts_[c - 1];
  found_.resize(static_cast<std::size_t>(d));
}

void SparseAttention::append(SparseToken token) {
  Index last = -1;
  for (const RowValue& x : token) {
    if (x.row <= last || x.row >= heads_.dimension)
      fail(ErrorCode::kOutOfRange, "token",
           "has row " + std::to_string(x.row) + "; rows ascend from 0 to " +
               std::to_string(heads_.dimension - 1));
    if (x.value == 0 || x.value > kLargestEntryOfProgram || x.value < -kLargestEntryOfProgram)
      fail(ErrorCode::kOutOfRange, "token", "has an entry that is 0 or of size above 2^20");
    last = x.row;
  }
  const auto place = static_cast<Index>(tokens_.size());
  for (const RowValue& x : token)
    found_[static_cast<std::size_t>(x.row)].push_back({place, x.value});
  tokens_.push_back(std::move(token));
}

void SparseAttention::clear() {
  for (const SparseToken& token : tokens_)
    for (const RowValue& x : token)
      found_[static_cast<std::size_t>(x.row)].clear();
  tokens_.clear();
  reads_.clear();
}

SparseToken SparseAttention::output() {
  if (tokens_.empty()) fail(ErrorCode::kMissing, "token", "is absent; the prompt is empty");
  // Q_h z_n, by head.
  struct Asked {
    Index head, row;
    std::int64_t value;
  };
  std::vector<Asked> asked;
  for (const RowValue& x : tokens_.back())
    for (std::size_t e = query_starts_[static_cast<std::size_t>(x.row)];
         e < query_starts_[static_cast<std::size_t>(x.row) + 1]; ++e)
      asked.push_back({queries_[e].head, queries_[e].row, queries_[e].value * x.value});
  std::stable_sort(asked.begin(), asked.end(),
                   [](const Asked& a, const Asked& b) { return a.head < b.head; });

  reads_.clear();
  SparseToken result;
  for (std::size_t begin = 0; begin < asked.size();) {
    const Index head = asked[begin].head;
    SparseToken scores;  // <z_t, Q_h z_n>, the token as row
    std::size_t end = begin;
    for (; end < asked.size() && asked[end].head == head; ++end)
      for (const RowValue& there : found_[static_cast<std::size_t>(asked[end].row)])
        scores.push_back({there.row, there.value * asked[end].value});
    settle(scores);
    SparseToken sum;  // sum_t z_t <z_t, Q_h z_n>
    for (const RowValue& score : scores) {
      reads_.push_back({head, score.row, score.value});
      for (const RowValue& x : tokens_[static_cast<std::size_t>(score.row)])
        sum.push_back({x.row, x.value * score.value});
    }
    settle(sum);
    const auto& value = heads_.heads[static_cast<std::size_t>(head)].value;
    for (const RowValue& x : sum) {
      auto entry = std::lower_bound(
          value.begin(), value.end(), x.row,
          [](const MatrixEntry& left, Index column) { return left.column < column; });
      for (; entry != value.end() && entry->column == x.row; ++entry)
        result.push_back({entry->row, entry->value * x.value});
    }
    begin = end;
  }
  settle(result);
  return result;
}

const SparseToken& SparseAttention::step() {
  append(output());
  return tokens_.back();
}

}  // namespace attnlab::mhla
