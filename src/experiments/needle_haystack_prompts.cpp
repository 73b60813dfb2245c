#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "experiments/needle_haystack.h"
#include "experiments/parameters.h"
#include "experiments/resources.h"
#include "experiments/word_text.h"
#include "measure/principal.h"
#include "needle/teacher_scores.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kTeacherStream = 0x4e01;
constexpr Index kComponents = 16;
constexpr double kArgmaxScale = 12;

// The text's known words, a row each in reading order, then the key's word; in principal components
// of unit variance.
void read_text(const Values& values, Haystack& haystack) {
  const Resource& vectors = resource("glove-4000");
  std::vector<Index> found;
  for (const auto& word : words_of(text(values, "text"))) {
    const Index row = find_name(vectors, word);
    if (row < 0) continue;
    found.push_back(row);
    haystack.names.push_back(word);
  }
  if (found.size() < 40)
    fail(ErrorCode::kOutOfRange, "text",
         "has " + std::to_string(found.size()) + " words with a vector; at least 40 are needed");
  const Index key = find_name(vectors, text(values, "keyWord"));
  if (key < 0)
    fail(ErrorCode::kUnknownName, "keyWord",
         "no vector for \"" + text(values, "keyWord") + "\"; a common English word is expected");
  found.push_back(key);
  Matrix rows(static_cast<Index>(found.size()), vectors.data.cols());
  for (std::size_t i = 0; i < found.size(); ++i)
    rows.row(static_cast<Index>(i)) = vectors.data.row(found[i]);
  const Index kept = std::min<Index>(kComponents, rows.cols());
  const Matrix scaled = measure::principal_components(rows, kept, measure::Scaling::kWhitened);
  haystack.rows = scaled.topRows(scaled.rows() - 1);
  haystack.in_order = true;
  haystack.dimension = scaled.cols();
  haystack.teacher.key = scaled.row(scaled.rows() - 1).transpose();
}

// The given key, or a random one, at norm sqrt(D), and a value across it.
void complete_teacher(Haystack& haystack, std::uint64_t seed) {
  RandomStream random(seed, stream_of({kTeacherStream}));
  const Vector key = haystack.teacher.key;
  haystack.teacher = needle::draw_teacher(haystack.dimension, random);
  if (key.size() == 0 || !(key.norm() > 1e-9)) return;
  const double norm = std::sqrt(static_cast<double>(haystack.dimension));
  haystack.teacher.key = key * (norm / key.norm());
  Vector& value = haystack.teacher.value;
  value -= haystack.teacher.key * (haystack.teacher.key.dot(value) / (norm * norm));
  value *= norm / value.norm();
}

}  // namespace

Haystack make_haystack(const Values& values, std::uint64_t seed) {
  Haystack haystack;
  const std::string& source = text(values, "source");
  if (source == "text") {
    read_text(values, haystack);
  } else if (source == "matrix") {
    const Matrix& own = matrix(values, "tokens");
    if (own.rows() < 4 || own.cols() < 2)
      fail(ErrorCode::kMissing, "tokens",
           "has " + std::to_string(own.rows()) + " rows of " + std::to_string(own.cols()) +
               "; at least 4 tokens of 2 coordinates are needed");
    haystack.rows = measure::principal_components(own, std::min<Index>(kComponents, own.cols()),
                                                  measure::Scaling::kWhitened);
    haystack.dimension = haystack.rows.cols();
    if (haystack.dimension < 2)
      fail(ErrorCode::kDomain, "tokens", "vary along one direction only; two are needed");
  } else {
    haystack.dimension = count(values, "dimension");
  }
  complete_teacher(haystack, seed);
  return haystack;
}

HaystackPrompt draw_prompt(const Haystack& haystack, const needle::Problem& problem,
                           RandomStream& random) {
  const Index length = problem.lengths.minimum;
  HaystackPrompt prompt;
  prompt.tokens.resize(length, haystack.dimension);
  Vector scores(length);
  if (haystack.rows.rows() == 0) {
    const needle::Sample sample =
        needle::draw_sample(problem, haystack.teacher, random, prompt.tokens.data(), scores.data());
    prompt.needle = sample.needle;
    prompt.label = sample.label;
    return prompt;
  }
  const auto pool = static_cast<std::uint64_t>(haystack.rows.rows());
  const std::uint64_t first = random.below(pool);
  for (Index l = 0; l < length; ++l) {
    const std::uint64_t row =
        haystack.in_order ? (first + static_cast<std::uint64_t>(l)) % pool : random.below(pool);
    prompt.rows.push_back(static_cast<Index>(row));
    prompt.tokens.row(l) = haystack.rows.row(static_cast<Index>(row));
  }
  const double scale = 1 / std::sqrt(static_cast<double>(haystack.dimension));
  if (problem.model == needle::Model::kSpiked) {
    prompt.needle = static_cast<Index>(random.below(static_cast<std::uint64_t>(length)));
    prompt.tokens.row(prompt.needle) +=
        std::sqrt(problem.snr) * scale * haystack.teacher.key.transpose();
  } else {
    scores = prompt.tokens * haystack.teacher.key * scale;
    prompt.needle = needle::pick_needle(problem.snr, scores.data(), length, random);
  }
  prompt.label = prompt.tokens.row(prompt.needle).dot(haystack.teacher.value) * scale;
  return prompt;
}

Searcher make_searcher(const needle::Problem& problem, needle::Kernel kernel, double sharpness) {
  const needle::OptimalRisk best = kernel == needle::Kernel::kSoftmax
                                       ? needle::OptimalRisk{0, 0, 0, 0, 1}
                                       : needle::linear_optimum(problem);
  double scale = best.scale;
  if (kernel == needle::Kernel::kSoftmax) {
    scale = needle::posterior_scale(problem);
    if (std::isinf(scale)) scale = kArgmaxScale;
  }
  scale *= sharpness;
  const needle::AttentionMoments moments =
      needle::MomentEvaluator(problem, kernel).at({scale, 0, 0});
  return {kernel, scale, moments.best_output()};
}

Answer answer(const Haystack& haystack, const HaystackPrompt& prompt, needle::Kernel kernel,
              const VectorRef& key, const VectorRef& value) {
  const double scale = 1 / std::sqrt(static_cast<double>(haystack.dimension));
  const Index length = prompt.tokens.rows();
  const Vector scores = prompt.tokens * key * scale;
  const Vector outputs = prompt.tokens * value * scale;
  Answer result;
  result.attention.resize(length);
  needle::attend(kernel, 0, scores.data(), length, result.attention.data());
  const double miss = prompt.label - result.attention.dot(outputs);
  result.squared_error = miss * miss;
  // In units of the value's part along v*, so that bars of different predictors can be compared.
  result.attention *= value.dot(haystack.teacher.value) / static_cast<double>(haystack.dimension);
  const double sum = result.attention.cwiseAbs().sum();
  result.share = sum > 0 ? std::fabs(result.attention[prompt.needle]) / sum : 0.0;
  // Half is what looking everywhere alike gives the needle of two tokens.
  result.found = result.share > 0.5;
  return result;
}

}  // namespace attnlab::experiments
