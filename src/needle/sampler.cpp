#include "needle/sampler.h"

#include <cmath>
#include <span>

#include "core/error.h"
#include "core/require.h"
#include "needle/teacher_scores.h"

namespace attnlab::needle {

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

DataSet draw_data_set(const Problem& problem, const Teacher& teacher, Index samples,
                      RandomStream& random, double limit_bytes) {
  validate(problem);
  if (!problem.lengths.fixed())
    fail(ErrorCode::kDomain, "length", "a data set has one length for all prompts");
  require_range(static_cast<double>(samples), 1, 1e9, "ratio");
  const Index length = problem.lengths.minimum;
  const Index dimension = teacher.key.size();
  require_memory(8.0 * static_cast<double>(samples) * static_cast<double>(length * dimension),
                 limit_bytes, "ratio");
  DataSet data;
  data.length = length;
  data.tokens.resize(samples * length, dimension);
  data.labels.resize(samples);
  data.needles.resize(static_cast<std::size_t>(samples));
  Vector scratch(length);
  for (Index n = 0; n < samples; ++n) {
    const Sample sample = draw_sample(problem, teacher, random,
                                      data.tokens.data() + n * length * dimension, scratch.data());
    data.labels[n] = sample.label;
    data.needles[static_cast<std::size_t>(n)] = sample.needle;
  }
  return data;
}

}  // namespace attnlab::needle
