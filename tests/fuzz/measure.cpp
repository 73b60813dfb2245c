// The attention operator on a measure: every kind of measure, at any direction.
#include "measure/measure.h"

#include <memory>
#include <vector>

#include "target.h"

namespace attnlab::fuzz {
namespace {

using MeasurePointer = std::unique_ptr<measure::Measure>;

// Plain sizes or any, as the whole input is.
struct Sizes {
  bool plain;

  Matrix matrix(Input& input, Index rows, Index columns) const {
    return plain ? Matrix(input.plain_matrix(rows, columns) / 8) : input.matrix(rows, columns);
  }
  double length(Input& input) const { return plain ? 1.5 : input.number(); }
};

MeasurePointer draw_gaussian(Input& input, Sizes sizes, Index d) {
  const Vector mean = sizes.matrix(input, d, 1).col(0);
  Matrix covariance = sizes.matrix(input, d, d);
  if (input.byte() > 32) covariance = (covariance * covariance.transpose()).eval();
  return measure::gaussian(mean, covariance);
}

MeasurePointer draw_simple(Input& input, Sizes sizes, Index d) {
  const double size = sizes.length(input);
  switch (input.byte() % 8) {
    case 0:
      return measure::rademacher(d);
    case 1:
      return measure::cube(d, size);
    case 2:
      return measure::sphere(d, size);
    case 3:
      return measure::ball(d, size);
    case 4:
      return measure::laplace(d, size);
    case 5:
      return measure::exponential(d);
    case 6: {
      const Index n = input.count(0, 6);
      const Vector weights = input.flag() ? Vector() : Vector(sizes.matrix(input, n, 1).col(0));
      return measure::empirical(sizes.matrix(input, n, d), weights);
    }
    default:
      return draw_gaussian(input, sizes, d);
  }
}

MeasurePointer draw_measure(Input& input, Sizes sizes, Index d) {
  if (input.byte() > 48) return draw_simple(input, sizes, d);
  std::vector<MeasurePointer> parts;
  for (Index count = input.count(0, 3); count > 0; --count)
    parts.push_back(draw_simple(input, sizes, input.byte() < 8 ? input.count(1, 3) : d));
  return measure::mixture(input.vector(static_cast<Index>(parts.size())), std::move(parts));
}

void check_attend(Input& input, Sizes sizes, const measure::Measure& law) {
  const Index d = law.dimension();
  const Index dz = input.count(0, 4);
  const Matrix A = sizes.matrix(input, d, dz);
  const Matrix V = sizes.matrix(input, input.count(0, 4), d);
  const Matrix queries = sizes.matrix(input, input.count(0, 3), dz);
  accepted([&] {
    const Matrix output = measure::attend(law, A, V, queries);
    expect(output.rows() == queries.rows() && output.cols() == V.rows(), "the output's shape");
    expect_finite(output, "T[mu]");
  });
}

// The constants grow like e^q: what is beyond a double is refused where they are asked for, and
// here promised of a short direction alone.
void check_constants(Input& input, Sizes sizes, const measure::Measure& law) {
  const Index d = law.dimension();
  const Vector a = sizes.matrix(input, d, 1).col(0) / 16;
  const Matrix V = sizes.matrix(input, input.count(0, 3), d);
  accepted([&] {
    const auto found = measure::constants(law, a, V);
    if (!sizes.plain) return;
    expect_finite(found.output, "the constant of the output");
    expect_finite(found.bias, "the constant of the bias");
    expect(found.output >= 0, "the constant of the output is " + show(found.output));
    expect_between(0, found.effective_sample_share, 1, 1e-6, "the effective share");
  });
}

void check_draws(Input& input, Sizes sizes, const measure::Measure& law) {
  RandomStream random(input.word(), 1);
  const Matrix draws = law.sample(random, 3);
  if (sizes.plain) expect_finite(draws, "a draw");
}

void run(Input& input) {
  const Index d = input.count(1, 4);
  const Sizes sizes{input.flag()};
  accepted([&] {
    const MeasurePointer law = draw_measure(input, sizes, d);
    check_attend(input, sizes, *law);
    check_constants(input, sizes, *law);
    check_draws(input, sizes, *law);
  });
}

const Target kTarget("measure", run);

}  // namespace
}  // namespace attnlab::fuzz
