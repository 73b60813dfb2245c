#include "needle/max_misses.h"

#include <algorithm>
#include <vector>

#include "core/portable.h"

namespace attnlab::needle {

namespace {

struct Decay {
  Matrix kept;    // times x points: e^(-t psi)
  Matrix bumped;  // t psi e^(-t psi)
};

// The decay at the given log psi.
void fill_decay(const Vector& log_values, const TimeRule& times, Decay& decay) {
  for (Index j = 0; j < decay.kept.rows(); ++j) {
    const double u = times.points[j];
    for (Index i = 0; i < log_values.size(); ++i) {
      const double exponent = u + log_values[i];
      if (exponent > kAllDecayed) continue;
      const double rate = exponent < kNoDecay ? 0.0 : portable::exp(exponent);
      const double kept = rate < 1e-17 ? 1.0 : portable::exp(-rate);
      decay.kept(j, i) = kept;
      decay.bumped(j, i) = kept * rate;
    }
  }
}

// The decay at one time of scores in ascending order: 1 before `first`, 0 from `end` on.
struct DecayBand {
  DecayBand(const Vector& logs, double time) {
    first = std::lower_bound(logs.begin(), logs.end(), kNoDecay - time) - logs.begin();
    for (end = first; end < logs.size() && time + logs[end] <= kAllDecayed; ++end) {
      const double rate = portable::exp(time + logs[end]);
      kept.push_back(portable::exp(-rate));
      bumped.push_back(kept.back() * rate);
    }
  }

  double kept_at(Index i) const {
    return i < first ? 1.0 : kept[static_cast<std::size_t>(i - first)];
  }
  double bumped_at(Index i) const {
    return i < first ? 0.0 : bumped[static_cast<std::size_t>(i - first)];
  }

  Index first = 0;
  Index end = 0;
  std::vector<double> kept;    // e^(-t psi) from `first` on
  std::vector<double> bumped;  // t psi e^(-t psi)
};

}  // namespace

Misses spread_misses(const Side& teacher, const Side& student, const Matrix& spread,
                     const Vector& density, const LengthPolynomial& pairs) {
  Decay given{Matrix::Zero(teacher.times.points.size(), density.size()),
              Matrix::Zero(teacher.times.points.size(), density.size())};
  fill_decay(teacher.logs, teacher.times, given);
  Decay own{Matrix::Zero(student.times.points.size(), student.logs.size()),
            Matrix::Zero(student.times.points.size(), student.logs.size())};
  fill_decay(student.logs, student.times, own);
  own.kept *= spread.transpose();
  own.bumped *= spread.transpose();
  Misses result;
  const Vector kept_alone = own.kept * density;
  const Vector bumped_alone = own.bumped * density;
  for (Index i = 0; i < kept_alone.size(); ++i)
    result.overlap +=
        student.times.weights[i] * bumped_alone[i] * bumped_alone[i] * pairs(kept_alone[i]);
  given.kept.array().rowwise() *= density.transpose().array();
  given.bumped.array().rowwise() *= density.transpose().array();
  const Matrix both = given.kept * own.kept.transpose();
  const Matrix chosen = given.bumped * own.kept.transpose();
  const Matrix weighed = given.kept * own.bumped.transpose();
  for (Index j = 0; j < both.rows(); ++j)
    for (Index i = 0; i < both.cols(); ++i)
      if (chosen(j, i) > 0 && weighed(j, i) > 0)
        result.miss += teacher.times.weights[j] * student.times.weights[i] * chosen(j, i) *
                       weighed(j, i) * pairs(both(j, i));
  return result;
}

Misses aligned_misses(const Side& teacher, const Side& student, const Vector& density,
                      const LengthPolynomial& pairs) {
  Vector below(density.size() + 1);  // sum of the density before i
  below[0] = 0;
  for (Index i = 0; i < density.size(); ++i)
    below[i + 1] = below[i] + density[i];
  Misses result;
  std::vector<DecayBand> bands;
  for (Index i = 0; i < student.times.points.size(); ++i) {
    const DecayBand& band = bands.emplace_back(student.logs, student.times.points[i]);
    double kept = below[band.first];
    double bumped = 0;
    for (Index l = band.first; l < band.end; ++l) {
      kept += density[l] * band.kept_at(l);
      bumped += density[l] * band.bumped_at(l);
    }
    result.overlap += student.times.weights[i] * bumped * bumped * pairs(kept);
  }
  for (Index j = 0; j < teacher.times.points.size(); ++j) {
    const DecayBand given(teacher.logs, teacher.times.points[j]);
    double sum = 0;
    for (std::size_t i = 0; i < bands.size(); ++i) {
      const DecayBand& own = bands[i];
      const Index end = std::min(given.end, own.end);
      if (given.first >= end || own.first >= end) continue;
      const Index first = std::min(given.first, own.first);
      double both = below[first];
      double chosen = 0;
      double weighed = 0;
      for (Index l = first; l < end; ++l) {
        const double given_kept = density[l] * given.kept_at(l);
        const double own_kept = own.kept_at(l);
        both += given_kept * own_kept;
        chosen += density[l] * given.bumped_at(l) * own_kept;
        weighed += given_kept * own.bumped_at(l);
      }
      sum += student.times.weights[static_cast<Index>(i)] * chosen * weighed * pairs(both);
    }
    result.miss += teacher.times.weights[j] * sum;
  }
  return result;
}

}  // namespace attnlab::needle
