#include "needle/passing_evolution.h"

#include <algorithm>
#include <cmath>

#include "core/portable.h"
#include "core/require.h"
#include "needle/attention_moments.h"
#include "needle/bayes_output.h"
#include "needle/whitened.h"

namespace attnlab::needle {

namespace {

constexpr Index kPromptsPerStep = 500;
// Under max, what is learned late comes from prompts whose two largest scores nearly tie: a quarter
// of the prompts each has the difference of one pair of scores narrowed to these shares.
constexpr double kWidths[] = {1, 0.3, 0.1, 0.03};

// Narrows one pair of the scores of prompt n in turn. Returns the plain law's density over that of
// the mixture of all narrowings.
double narrow_scores(Index n, Index length, double* scores) {
  const Index pairs = length * (length - 1) / 2;
  if (pairs == 0) return 1;
  Index pair = n / 4 % pairs;
  const double width = kWidths[n % 4];
  double density = 0;
  for (Index a = 0; a < length; ++a)
    for (Index b = a + 1; b < length; ++b)
      if (pair-- == 0) {
        const double middle = 0.5 * (scores[a] + scores[b]);
        const double half = 0.5 * (scores[a] - scores[b]) * width;
        scores[a] = middle + half;
        scores[b] = middle - half;
      }
  for (Index a = 0; a < length; ++a)
    for (Index b = a + 1; b < length; ++b) {
      const double gap = scores[a] - scores[b];
      for (double w : kWidths)
        density += portable::exp(-0.25 * gap * gap * (1 / (w * w) - 1)) / w;
    }
  return 4 * static_cast<double>(pairs) / density;
}

}  // namespace

PassingEvolution::PassingEvolution(const Problem& problem, double ratio,
                                   const PassingOptions& options, RandomStream random)
    : problem_(problem), ratio_(ratio), options_(options), random_(random) {
  validate_bayes(problem);
  require_range(ratio, 0.01, 1000, "ratio");
  require_range(static_cast<double>(options.samples), 100, 1e6, "samples");
  require_range(static_cast<double>(options.iterations), 1, 1e5, "iterations");
  require_range(options.damping, 1e-3, 1, "damping");
  const Index states = options.iterations + 1;
  require_memory(bytes(problem, options), kLargestBytes, "samples");
  const double start = options.informed ? kInformedOverlap : 0;
  for (Side* side : {&key_, &value_}) {
    side->factor.setZero(states, states);
    side->mix.setZero(states, states);
    side->mix(0, 0) = 1;
    side->products.setZero(states, states);
    side->products(0, 0) = start;
    side->overlaps.setZero(states);
    side->overlaps[0] = start;
    side->variance = 1 - start;
  }
}

double PassingEvolution::bytes(const Problem& problem, const PassingOptions& options) {
  const auto fields = static_cast<double>(options.samples * problem.lengths.minimum);
  return 4 * sizeof(double) * fields * static_cast<double>(options.iterations + 1);
}

double PassingEvolution::overlap(const Side& side, Index t) const {
  return side.mix.row(t).dot(side.overlaps);
}

double PassingEvolution::power(const Side& side, Index t, Index s) const {
  const Index known = std::max(t, s) + 1;
  return side.mix.row(t).head(known) * side.products.topLeftCorner(known, known) *
         side.mix.row(s).head(known).transpose();
}

void PassingEvolution::draw_scores() {
  const Index length = problem_.lengths.minimum;
  const Matrix normals = whitened_normals(options_.samples, 2 * length + 1, random_);
  key_.truth = normals.leftCols(length);
  value_.truth = normals.middleCols(length, length);
  labels_ = problem_.noise * normals.col(2 * length);
  weights_.setOnes(options_.samples);
  needles_.assign(static_cast<std::size_t>(options_.samples), 0);
  for (Index n = 0; n < options_.samples; ++n) {
    Index& needle = needles_[static_cast<std::size_t>(n)];
    if (problem_.model == Model::kSpiked) {
      key_.truth(n, 0) += std::sqrt(problem_.snr);
    } else {
      weights_[n] = narrow_scores(n, length, key_.truth.row(n).data());
      key_.truth.row(n).maxCoeff(&needle);
    }
    labels_[n] += value_.truth(n, needle);
  }
  weights_ *= ratio_ / weights_.sum();
}

void PassingEvolution::open_iteration() {
  const Index t = iteration_;
  for (Side* side : {&key_, &value_}) {
    Matrix& factor = side->factor;
    for (Index s = 0; s <= t; ++s) {
      const double left = power(*side, t, s) - overlap(*side, t) * overlap(*side, s) -
                          factor.row(t).head(s).dot(factor.row(s).head(s));
      // An iteration that brings nothing new has no noise of its own.
      if (s == t)
        factor(t, t) = left > 1e-12 * power(*side, t, t) ? std::sqrt(left) : 0;
      else if (factor(s, s) > 0)
        factor(t, s) = left / factor(s, s);
    }
    side->noises.push_back(whitened_normals(options_.samples, problem_.lengths.minimum, random_));
    side->pulls.emplace_back(options_.samples, problem_.lengths.minimum);
    side->square = side->truth_pull = side->excess = 0;
  }
  needle_ = square_ = 0;
}

void PassingEvolution::see_some() {
  const Index length = problem_.lengths.minimum, t = iteration_;
  const BayesOutput output(problem_, key_.variance, value_.variance);
  const double key_overlap = overlap(key_, t), value_overlap = overlap(value_, t);
  double key_field[kLargestEvolutionLength], value_field[kLargestEvolutionLength];
  BayesOutput::Prior prior;
  const Index end = std::min(next_ + kPromptsPerStep, options_.samples);
  for (; next_ < end; ++next_) {
    for (Index l = 0; l < length; ++l) {
      key_field[l] = key_overlap * key_.truth(next_, l);
      value_field[l] = value_overlap * value_.truth(next_, l);
      for (Index s = 0; s <= t; ++s) {
        const auto of = static_cast<std::size_t>(s);
        key_field[l] += key_.factor(t, s) * key_.noises[of](next_, l);
        value_field[l] += value_.factor(t, s) * value_.noises[of](next_, l);
      }
    }
    const double weight = weights_[next_];
    if (problem_.model == Model::kMax) {
      output.see_keys(key_field, prior);
      needle_ += weight * prior.probabilities[needles_[static_cast<std::size_t>(next_)]];
      for (Index l = 0; l < length; ++l)
        square_ += weight * prior.probabilities[l] * prior.probabilities[l];
    }
    const BayesOutput::Fields fields{key_field, value_field, labels_[next_]};
    double* key_pull = key_.pulls.back().row(next_).data();
    double* value_pull = value_.pulls.back().row(next_).data();
    output.pull(prior, fields, key_pull, value_pull);
    const BayesOutput::Excess excess = output.excess(fields, key_pull, value_pull);
    key_.excess += weight * excess.key;
    value_.excess += weight * excess.value;
    for (Index l = 0; l < length; ++l) {
      key_.square += weight * key_pull[l] * key_pull[l];
      value_.square += weight * value_pull[l] * value_pull[l];
      key_.truth_pull += weight * key_pull[l] * key_.truth(next_, l);
      value_.truth_pull += weight * value_pull[l] * value_.truth(next_, l);
    }
  }
}

void PassingEvolution::note_state() {
  const Index t = iteration_;
  AmpState state;
  state.key = overlap(key_, t);
  state.value = overlap(value_, t);
  state.key_power = power(key_, t, t);
  state.value_power = power(value_, t, t);
  double needle = needle_ / ratio_, square = square_ / ratio_;
  if (problem_.model == Model::kSpiked) {
    // The answer attends by softmax(sqrt(nu) w).
    const double root = std::sqrt(problem_.snr);
    const double noise = std::max(state.key_power - state.key * state.key, 0.0);
    const AttentionMoments moments = MomentEvaluator(problem_, Kernel::kSoftmax)
                                         .at({root * state.key, root * std::sqrt(noise), 0});
    needle = moments.needle;
    square = moments.square;
  }
  state.risk = 1 - 2 * state.value * needle + state.value_power * square;
  path_.push_back(state);
}

void PassingEvolution::update(Side& side, double prior) {
  const Index t = iteration_;
  const double gain = side.square - prior;
  side.variance = 1 / std::max(1 + prior + gain, 0.05);
  side.overlaps[t + 1] =
      side.variance * (side.truth_pull + (gain - side.excess) * overlap(side, t));
  side.products(t + 1, 0) = side.products(0, t + 1) = side.overlaps[t + 1] * side.overlaps[0];
  // b_s+1 keeps its V in the scale of its noise.
  const Matrix weighted = side.pulls.back().array().colwise() * weights_.array();
  side.pulls.back() *= side.variance;
  for (Index s = 0; s <= t; ++s) {
    const double noise =
        side.variance * weighted.cwiseProduct(side.pulls[static_cast<std::size_t>(s)]).sum();
    side.products(t + 1, s + 1) = side.products(s + 1, t + 1) =
        side.overlaps[t + 1] * side.overlaps[s + 1] + noise;
  }
  side.mix.row(t + 1) =
      (1 - options_.damping + options_.damping * side.excess * side.variance) * side.mix.row(t);
  side.mix(t + 1, t + 1) = options_.damping;
}

bool PassingEvolution::step() {
  if (iteration_ > options_.iterations) return true;
  if (iteration_ == 0 && next_ == 0) draw_scores();
  if (next_ == 0) open_iteration();
  see_some();
  if (next_ < options_.samples) return false;
  next_ = 0;
  note_state();
  if (iteration_ < options_.iterations) {
    update(key_, problem_.model == Model::kSpiked ? ratio_ * problem_.snr : 0.0);
    update(value_, 0);
  }
  return ++iteration_ > options_.iterations;
}

}  // namespace attnlab::needle
