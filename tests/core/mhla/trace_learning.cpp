#include "mhla/trace_learning.h"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <algorithm>

#include "core/error.h"
#include "mhla/automaton_attention.h"
#include "mhla/features.h"
#include "mhla/modular_span.h"
#include "mhla/turing_attention.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

// Traces of different inputs of a class; the first `count` to learn from, the others to ask.
struct Class {
  Index dimension;
  std::vector<Trace> traces;
};

Class automata(std::size_t count, std::uint64_t seed) {
  RandomStream stream(seed, 1);
  const auto layout = automaton_layout(2, 2, 2);
  SparseAttention attention(universal_automaton_heads(layout));
  Class result{layout.dimension(), {}};
  for (const auto number : distinct_numbers(automaton_input_count(2, 2, 2), count, stream))
    result.traces.push_back(execute(layout, attention, automaton_input(2, 2, 2, number)).trace);
  return result;
}

Class machines(std::size_t count, std::uint64_t seed) {
  RandomStream stream(seed, 2);
  const auto layout = turing_layout(2, 2, 2, 2);
  SparseAttention attention(turing_heads(layout));
  Class result{layout.dimension(), {}};
  for (const auto number : distinct_numbers(turing_input_count(2, 2, 2), count, stream)) {
    TuringExecution execution(layout, attention, turing_input(2, 2, 2, number));
    while (!execution.step()) {
    }
    result.traces.push_back(execution.trace());
  }
  return result;
}

TraceLearner learn(const Class& from, std::size_t count) {
  TraceLearner learner(from.dimension,
                       {from.traces.begin(), from.traces.begin() + static_cast<long>(count)});
  while (!learner.step()) {
  }
  CHECK(learner.progress() == 1);
  return learner;
}

struct Score {
  double samples = 0, certified = 0, error = 0;
  double nearest_open = 1, farthest_certified = 0;
};

template <class Visit>
void for_each_open_step(const Class& from, std::size_t count, const Visit& visit) {
  for (std::size_t i = count; i < from.traces.size(); ++i)
    for (Index s = 0; s < from.traces[i].steps(); ++s) {
      const auto& tokens = from.traces[i].tokens;
      const auto n = static_cast<std::size_t>(from.traces[i].prompt_length + s);
      visit(std::span(tokens).first(n),
            dense_prompt(std::span(tokens).subspan(n, 1), from.dimension).row(0).transpose());
    }
}

Score score(const Class& from, std::size_t count) {
  TraceLearner learner = learn(from, count);
  Score result;
  for_each_open_step(from, count, [&](std::span<const SparseToken> prompt, const Vector& wanted) {
    const TracePrediction prediction = learner.predict(prompt);
    result.samples += 1;
    if (!prediction.certified) {
      result.nearest_open = std::min(result.nearest_open, prediction.residual);
      return;
    }
    result.certified += 1;
    result.farthest_certified = std::max(result.farthest_certified, prediction.residual);
    result.error = std::max(result.error, (prediction.output - wanted).cwiseAbs().maxCoeff());
  });
  return result;
}

}  // namespace

TEST_CASE("automata: the certified share grows from few to all, and what is certified is right") {
  // Means over six draws; the reference run has .03, .36, .89, 1.00, each from one draw.
  const double expected[] = {0.03, 0.36, 0.89, 1.00};
  const double allowed[] = {0.05, 0.12, 0.10, 0.02};
  int row = 0;
  for (const std::size_t count : {8U, 16U, 32U, 64U}) {
    Score sum;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Score one = score(automata(128, seed), count);
      sum.samples += one.samples;
      sum.certified += one.certified;
      CHECK(one.error < 1e-12);
      CHECK(one.nearest_open > 1e-4);
      CHECK(one.farthest_certified < 1e-13);
    }
    CAPTURE(count);
    CHECK(std::fabs(sum.certified / sum.samples - expected[row]) < allowed[row]);
    ++row;
  }
}

TEST_CASE("machines: nothing is certified from 60 traces, two fifths from 120, and that is right") {
  CHECK(score(machines(70, 1), 60).certified == 0);
  const Score later = score(machines(150, 1), 120);
  // The reference run has .456.
  CHECK(std::fabs(later.certified / later.samples - 0.456) < 0.12);
  CHECK(later.error < 1e-9);
  CHECK(later.nearest_open > 1e-6);
}

TEST_CASE("the certificate of rounded numbers is that of exact arithmetic modulo a prime") {
  struct Case {
    Class from;
    std::size_t count;
  };
  for (const Case& now :
       {Case{automata(60, 3), 20}, Case{automata(60, 4), 32}, Case{machines(22, 3), 16}}) {
    TraceLearner learner = learn(now.from, now.count);
    TraceKernel kernel(now.from.dimension);
    ModularSpan span;
    const auto pivots = learner.pivots();
    const auto against = [&](std::size_t first) {
      std::vector<double> values;
      for (std::size_t r = 0; r < first; ++r)
        values.push_back(kernel.against(learner.prompt(pivots[r])));
      return values;
    };
    // The chosen samples are independent: a proof.
    for (std::size_t r = 0; r < pivots.size(); ++r) {
      kernel.set(learner.prompt(pivots[r]));
      CHECK(span.add(against(r), kernel.self()));
    }
    for_each_open_step(now.from, now.count,
                       [&](std::span<const SparseToken> prompt, const Vector&) {
                         kernel.set(prompt);
                         CHECK(span.independent(against(pivots.size()), kernel.self()) !=
                               learner.predict(prompt).certified);
                       });
  }
}

TEST_CASE("the dual prediction is that of the pseudo-inverse in the paper's own coordinates") {
  const Class from = automata(10, 9);
  TraceLearner learner = learn(from, 6);
  const Index d = from.dimension;
  // vec X(Z) = vec(G) (x) z_n, with every pair twice.
  const auto features = [d](std::span<const SparseToken> prompt) {
    const Matrix z = dense_prompt(prompt, d);
    const Matrix gram = z.transpose() * z;
    Vector x(d * d * d);
    for (Index j = 0; j < d * d; ++j)
      x.segment(j * d, d) = gram.data()[j] * z.row(z.rows() - 1).transpose();
    return x;
  };
  Eigen::MatrixXd x(24, d * d * d), y(24, d);
  Index row = 0;
  for (std::size_t i = 0; i < 6; ++i)
    for (Index s = 0; s < 4; ++s, ++row) {
      const auto& tokens = from.traces[i].tokens;
      const auto n = static_cast<std::size_t>(from.traces[i].prompt_length + s);
      x.row(row) = features(std::span(tokens).first(n)).transpose();
      y.row(row) = dense_prompt(std::span(tokens).subspan(n, 1), d);
    }
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> inverse(x);
  const Eigen::MatrixXd w = inverse.solve(y);
  CHECK(inverse.rank() == learner.rank());
  for_each_open_step(from, 6, [&](std::span<const SparseToken> prompt, const Vector&) {
    const Vector expected = w.transpose() * features(prompt);
    CHECK((learner.predict(prompt).output - expected).cwiseAbs().maxCoeff() < 1e-12);
  });
}

TEST_CASE("training prompts are certified and reproduced; prompts of nothing known are open") {
  const Class from = automata(12, 2);
  TraceLearner learner = learn(from, 12);
  CHECK(learner.sample_count() == 48);
  for_each_open_step(from, 0, [&](std::span<const SparseToken> prompt, const Vector& wanted) {
    const TracePrediction prediction = learner.predict(prompt);
    CHECK(prediction.certified);
    CHECK((prediction.output - wanted).cwiseAbs().maxCoeff() < 1e-12);
  });
  const std::vector<SparseToken> strange{one_hot_token({from.dimension - 1})};
  const TracePrediction prediction = learner.predict(strange);
  CHECK(prediction.residual == 1);
  CHECK_FALSE(prediction.certified);
  CHECK(prediction.output.isZero(0));
}

TEST_CASE("traces that cannot be learned from are refused by name") {
  CHECK_THROWS_AS(TraceLearner(3, {}), Error);
  CHECK_THROWS_AS(TraceLearner(3, {Trace{{one_hot_token({0})}, 1}}), Error);
  CHECK_THROWS_AS(TraceLearner(3, {Trace{{one_hot_token({0}), one_hot_token({3})}, 1}}), Error);
  try {
    TraceLearner(3, {Trace{std::vector<SparseToken>(2000, one_hot_token({0})), 1}}, 1e6);
    FAIL("was not refused");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kTooLarge);
    CHECK(error.parameter() == "traces");
  }
}
