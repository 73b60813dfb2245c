#include "mhla/features.h"

#include "core/require.h"

namespace attnlab::mhla {
namespace {

void require_sample_memory(Index count, Index d) {
  require_memory(8.0 * static_cast<double>(count) * static_cast<double>(pair_count(d) + d), 3e9,
                 "prompts");
}

}  // namespace

FeatureName feature_name(Index d, Index feature) {
  const Index l = feature % d;
  Index pair = feature / d;
  const Index off_diagonal = d * (d - 1) / 2;
  if (pair >= off_diagonal) return {pair - off_diagonal, pair - off_diagonal, l};
  Index j = 0;
  while (pair >= d - 1 - j) {
    pair -= d - 1 - j;
    ++j;
  }
  return {j, j + 1 + pair, l};
}

std::string feature_text(Index d, Index feature) {
  const FeatureName name = feature_name(d, feature);
  const auto coordinate = [](Index i) { return "z_" + std::to_string(i + 1); };
  if (name.j == name.k) return "‖" + coordinate(name.j) + "‖² " + coordinate(name.l);
  return "⟨" + coordinate(name.j) + ", " + coordinate(name.k) + "⟩ " + coordinate(name.l);
}

namespace {

// The square of a smaller one leaves the range of a double, with some room.
constexpr double kSmallestFeature = 1e-135;

}  // namespace

void require_scale(const Samples& samples, std::string_view parameter) {
  const double query = samples.queries.size() == 0 ? 0.0 : samples.queries.cwiseAbs().maxCoeff();
  const double gram = samples.grams.size() == 0 ? 0.0 : samples.grams.cwiseAbs().maxCoeff();
  if (query > 0 && gram * query < kSmallestFeature)
    fail(ErrorCode::kOutOfRange, parameter,
         "have entries of size " + show(query) +
             " at most, whose products of six leave the range of a double; scale them up");
}

Index lost_column(const Samples& samples) {
  const Index d = samples.queries.cols();
  for (Index j = 0; j < d && samples.count() > 0; ++j) {
    const double own = samples.queries.col(j).cwiseAbs().maxCoeff();
    const double square = samples.grams.col(pair_count(d) - d + j).cwiseAbs().maxCoeff();
    if (own > 0 && square * own < kSmallestFeature) return j;
  }
  return -1;
}

void add_outer(const double* z, Index d, double* g) {
  for (Index j = 0; j < d; ++j) {
    const double zj = z[j];
    for (Index k = j + 1; k < d; ++k)
      *g++ += zj * z[k];
  }
  for (Index j = 0; j < d; ++j)
    *g++ += z[j] * z[j];
}

Samples last_samples(const Prompts& prompts) {
  const Index d = prompts.dimension();
  require_sample_memory(prompts.count(), d);
  Samples samples{Matrix::Zero(prompts.count(), pair_count(d)), Matrix(prompts.count(), d)};
  for (Index i = 0; i < prompts.count(); ++i) {
    double* g = samples.grams.row(i).data();
    for (Index t = prompts.start(i); t < prompts.start(i + 1); ++t)
      add_outer(prompts.tokens.row(t).data(), d, g);
    samples.queries.row(i) = prompts.tokens.row(prompts.start(i + 1) - 1);
  }
  return samples;
}

Samples prefix_samples(const Prompts& prompts) {
  const Index d = prompts.dimension();
  const Index total = prompts.tokens.rows();
  require_sample_memory(total, d);
  Samples samples{Matrix::Zero(total, pair_count(d)), prompts.tokens};
  for (Index i = 0; i < prompts.count(); ++i)
    for (Index t = prompts.start(i); t < prompts.start(i + 1); ++t) {
      if (t > prompts.start(i)) samples.grams.row(t) = samples.grams.row(t - 1);
      add_outer(prompts.tokens.row(t).data(), d, samples.grams.row(t).data());
    }
  return samples;
}

Samples full_samples(const Prompts& prompts) {
  const Index d = prompts.dimension();
  const Index total = prompts.tokens.rows();
  require_sample_memory(total, d);
  Samples samples{Matrix::Zero(total, pair_count(d)), prompts.tokens};
  for (Index i = 0; i < prompts.count(); ++i) {
    const Index last = prompts.start(i + 1) - 1;
    for (Index t = prompts.start(i); t <= last; ++t)
      add_outer(prompts.tokens.row(t).data(), d, samples.grams.row(last).data());
    for (Index t = prompts.start(i); t < last; ++t)
      samples.grams.row(t) = samples.grams.row(last);
  }
  return samples;
}

void write_features(const double* g, const double* z, Index d, double scale, double* out) {
  const Index pairs = pair_count(d);
  for (Index p = 0; p < pairs; ++p) {
    const double gp = g[p] * scale;
    for (Index l = 0; l < d; ++l)
      *out++ = gp * z[l];
  }
}

Matrix features(const Samples& samples) {
  const Index d = samples.dimension();
  const Index psi = feature_count(d);
  require_memory(8.0 * static_cast<double>(samples.count()) * static_cast<double>(psi), 3e9,
                 "prompts");
  Matrix result(samples.count(), psi);
  for (Index i = 0; i < samples.count(); ++i)
    write_features(samples.grams.row(i).data(), samples.queries.row(i).data(), d, 1,
                   result.row(i).data());
  return result;
}

}  // namespace attnlab::mhla
