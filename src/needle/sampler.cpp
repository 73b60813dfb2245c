#include "needle/sampler.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/error.h"
#include "core/require.h"
#include "needle/teacher_scores.h"

namespace attnlab::needle {

namespace {

constexpr double kLargestBytes = 512.0 * 1024 * 1024;
constexpr double kNumbersPerStep = 1e5;  // of the tokens: a few milliseconds

}  // namespace

Teacher draw_teacher(Index dimension, RandomStream& random) {
  require_range(static_cast<double>(dimension), 2, 1e7, "dimension");
  const double norm = std::sqrt(static_cast<double>(dimension));
  Teacher teacher;
  teacher.key = random.gaussian_vector(dimension);
  teacher.value = random.gaussian_vector(dimension);
  teacher.key *= norm / teacher.key.norm();
  teacher.value -= teacher.key * (teacher.key.dot(teacher.value) / teacher.key.squaredNorm());
  teacher.value *= norm / teacher.value.norm();
  return teacher;
}

Sample draw_sample(const Problem& problem, const Teacher& teacher, RandomStream& random,
                   double* tokens, double* scores_scratch) {
  const Index dimension = teacher.key.size();
  const double scale = 1 / std::sqrt(static_cast<double>(dimension));
  Sample sample;
  sample.length = draw_length(problem.lengths, random);
  random.fill_gaussian({tokens, static_cast<std::size_t>(sample.length * dimension)});
  Eigen::Map<MatrixOf<double>> rows(tokens, sample.length, dimension);
  if (problem.model == Model::kSpiked) {
    sample.needle = static_cast<Index>(random.below(static_cast<std::uint64_t>(sample.length)));
    rows.row(sample.needle) += std::sqrt(problem.snr) * scale * teacher.key.transpose();
  } else {
    Eigen::Map<Vector> scores(scores_scratch, sample.length);
    scores.noalias() = rows * teacher.key;
    scores *= scale;
    sample.needle = pick_needle(problem.snr, scores_scratch, sample.length, random);
  }
  sample.label = rows.row(sample.needle).dot(teacher.value) * scale;
  if (problem.noise > 0) sample.label += problem.noise * random.gaussian();
  return sample;
}

DataSet plan_data_set(const Problem& problem, double ratio, Index dimension) {
  validate(problem);
  if (!problem.lengths.fixed())
    fail(ErrorCode::kDomain, "length", "a data set has one length for all prompts");
  require_range(ratio, 0.01, 1e6, "ratio");
  require_range(static_cast<double>(dimension), 2, 4000, "dimension");
  const double samples = std::max(1.0, std::floor(ratio * static_cast<double>(dimension) + 0.5));
  DataSet data;
  data.length = problem.lengths.minimum;
  data.dimension = dimension;
  require_memory(8 * samples * static_cast<double>(data.length * dimension), kLargestBytes,
                 "dimension");
  data.samples = static_cast<Index>(samples);
  return data;
}

bool draw_more(DataSet& data, const Problem& problem, const Teacher& teacher,
               RandomStream& random) {
  if (data.drawn == 0) {
    data.tokens.resize(data.samples * data.length, data.dimension);
    data.labels.resize(data.samples);
    data.needles.resize(static_cast<std::size_t>(data.samples));
  }
  const auto cost = static_cast<double>(data.length * data.dimension);
  const Index end = std::min(
      data.samples, data.drawn + std::max<Index>(1, static_cast<Index>(kNumbersPerStep / cost)));
  Vector scratch(data.length);
  for (; data.drawn < end; ++data.drawn) {
    double* rows = data.tokens.data() + data.drawn * data.length * data.dimension;
    const Sample sample = draw_sample(problem, teacher, random, rows, scratch.data());
    data.labels[data.drawn] = sample.label;
    data.needles[static_cast<std::size_t>(data.drawn)] = sample.needle;
  }
  return data.whole();
}

}  // namespace attnlab::needle
