#include "mhla/trace_learning.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "core/require.h"
#include "mhla/inner_product.h"

namespace attnlab::mhla {
TraceLearner::TraceLearner(Index d, std::vector<Trace> traces, double memory_limit)
    : d_(d), traces_(std::move(traces)), kernel_(d) {
  if (traces_.empty()) fail(ErrorCode::kMissing, "traces", "are none; at least one is needed");
  for (std::size_t i = 0; i < traces_.size(); ++i) {
    const Trace& trace = traces_[i];
    if (trace.prompt_length < 1 || trace.steps() < 1)
      fail(ErrorCode::kOutOfRange, "traces", "need a prompt and at least one step each");
    for (const SparseToken& token : trace.tokens)
      for (const RowValue& x : token)
        if (x.row < 0 || x.row >= d)
          fail(ErrorCode::kOutOfRange, "traces", "have a coordinate outside of the dimension");
    for (Index s = 0; s < trace.steps(); ++s)
      samples_.push_back({static_cast<Index>(i), trace.prompt_length + s});
  }
  split_into_parts();
  // Factor and its triangle, at full rank, and the answers.
  double bytes = 0;
  for (const Part& part : parts_) {
    const auto n = static_cast<double>(part.samples.size());
    bytes += 8 * n * (3 * n + static_cast<double>(d));
  }
  require_memory(bytes, memory_limit, "traces");
  for (Part& part : parts_) {
    Vector diagonal(static_cast<Index>(part.samples.size()));
    for (Index i = 0; i < diagonal.size(); ++i) {
      const Index sample = part.samples[static_cast<std::size_t>(i)];
      kernel_.set(prompt(samples_[static_cast<std::size_t>(sample)]));
      diagonal(i) = kernel_.self();
    }
    part.cholesky = std::make_unique<PivotedCholesky>(std::move(diagonal), kDeterminedTrace);
  }
}

// Rows that occur together in a last token are joined; a part is what is joined.
void TraceLearner::split_into_parts() {
  std::vector<Index> parent(static_cast<std::size_t>(d_));
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&parent](Index row) {
    while (parent[static_cast<std::size_t>(row)] != row)
      row = parent[static_cast<std::size_t>(row)];
    return row;
  };
  for (const Sample& sample : samples_) {
    const SparseToken& last = prompt(sample).back();
    for (const RowValue& x : last)
      parent[static_cast<std::size_t>(root(x.row))] = root(last.front().row);
  }
  part_of_row_.assign(static_cast<std::size_t>(d_), -1);
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const SparseToken& last = prompt(samples_[i]).back();
    if (last.empty()) continue;  // its features are 0
    Index& part = part_of_row_[static_cast<std::size_t>(root(last.front().row))];
    if (part < 0) {
      part = static_cast<Index>(parts_.size());
      parts_.emplace_back();
    }
    parts_[static_cast<std::size_t>(part)].samples.push_back(static_cast<Index>(i));
  }
  for (Index row = 0; row < d_; ++row)
    part_of_row_[static_cast<std::size_t>(row)] = part_of_row_[static_cast<std::size_t>(root(row))];
}

std::span<const SparseToken> TraceLearner::prompt(const Sample& sample) const {
  return std::span(traces_[static_cast<std::size_t>(sample.trace)].tokens)
      .first(static_cast<std::size_t>(sample.length));
}

const TraceLearner::Sample& TraceLearner::pivot_sample(const Part& part, Index r) const {
  const auto pivot = static_cast<std::size_t>(part.cholesky->pivots()[static_cast<std::size_t>(r)]);
  return samples_[static_cast<std::size_t>(part.samples[pivot])];
}

std::vector<TraceLearner::Sample> TraceLearner::pivots() const {
  std::vector<Sample> result;
  for (const Part& part : parts_)
    for (Index r = 0; r < part.cholesky->rank(); ++r)
      result.push_back(pivot_sample(part, r));
  return result;
}

Index TraceLearner::rank() const {
  Index sum = 0;
  for (const Part& part : parts_)
    sum += part.cholesky->rank();
  return sum;
}

bool TraceLearner::step() {
  if (current_ == parts_.size()) return true;
  Part& part = parts_[current_];
  if (!part.chosen) {
    const Index pivot = part.cholesky->next();
    if (pivot >= 0) {
      choose_pivot(part, pivot);
      return false;
    }
    begin_answers(part);
    part.chosen = true;
  } else if (part.solved < part.answers.rows()) {
    solve_answers(part);
  }
  if (part.solved == part.answers.rows()) ++current_;
  return current_ == parts_.size();
}

void TraceLearner::choose_pivot(Part& part, Index pivot) {
  kernel_.set(
      prompt(samples_[static_cast<std::size_t>(part.samples[static_cast<std::size_t>(pivot)])]));
  std::vector<double> all;
  all.reserve(samples_.size());
  for (const Trace& trace : traces_)
    kernel_.append_against(trace, all);
  Vector column(static_cast<Index>(part.samples.size()));
  for (Index i = 0; i < column.size(); ++i)
    column(i) = all[static_cast<std::size_t>(part.samples[static_cast<std::size_t>(i)])];
  part.cholesky->add(column);
}

void TraceLearner::begin_answers(Part& part) {
  part.lower = part.cholesky->pivot_factor();
  part.answers = Matrix::Zero(part.lower.rows(), d_);
  for (Index r = 0; r < part.answers.rows(); ++r) {
    const Sample& sample = pivot_sample(part, r);
    const Trace& trace = traces_[static_cast<std::size_t>(sample.trace)];
    for (const RowValue& x : trace.tokens[static_cast<std::size_t>(sample.length)])
      part.answers(r, x.row) = static_cast<double>(x.value);
  }
}

void TraceLearner::solve_answers(Part& part) {
  const Index r = part.solved++;
  double* row = part.answers.row(r).data();
  for (Index c = 0; c < r; ++c)
    if (part.lower(r, c) != 0) add_scaled(-part.lower(r, c), part.answers.row(c).data(), row, d_);
  part.answers.row(r) /= part.lower(r, r);
}

double TraceLearner::progress() const {
  double done = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto samples = static_cast<double>(parts_[p].samples.size());
    done += p < current_ ? samples : static_cast<double>(parts_[p].cholesky->rank()) * 0.99;
  }
  return parts_.empty() ? 1 : done / static_cast<double>(samples_.size());
}

TracePrediction TraceLearner::predict(std::span<const SparseToken> prompt) {
  if (prompt.empty()) fail(ErrorCode::kMissing, "prompt", "is empty");
  kernel_.set(prompt);
  TracePrediction result{Vector::Zero(d_), 0, true};
  double explained = 0;
  std::vector<Index> asked;
  for (const RowValue& x : prompt.back()) {
    const Index part = part_of_row_[static_cast<std::size_t>(x.row)];
    if (part >= 0 && std::find(asked.begin(), asked.end(), part) == asked.end())
      asked.push_back(part);
  }
  for (const Index number : asked) {
    const Part& part = parts_[static_cast<std::size_t>(number)];
    Vector x(part.lower.rows());
    for (Index r = 0; r < x.size(); ++r)
      x(r) = kernel_.against(this->prompt(pivot_sample(part, r)));
    for (Index r = 0; r < x.size(); ++r)
      x(r) = (x(r) - inner_product(part.lower.row(r).data(), x.data(), r)) / part.lower(r, r);
    for (Index r = 0; r < x.size(); ++r)
      add_scaled(x(r), part.answers.row(r).data(), result.output.data(), d_);
    explained += inner_product(x.data(), x.data(), x.size());
  }
  const double self = kernel_.self();
  result.residual = self > 0 ? std::max(0.0, 1 - explained / self) : 0.0;
  result.certified = result.residual < kDeterminedTrace;
  return result;
}

}  // namespace attnlab::mhla
