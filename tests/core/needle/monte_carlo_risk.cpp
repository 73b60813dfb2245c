#include "needle/monte_carlo_risk.h"

#include <doctest/doctest.h>
#include <cmath>

#include "core/error.h"
#include "needle/data_set.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

TEST_CASE("the risk from overlaps is the risk on drawn prompts, off the manifold too") {
  RandomStream random(21, 1);
  const Index dimension = 8;
  const Teacher teacher = draw_teacher(dimension, random);
  const Vector key =
      0.8 * teacher.key + 0.3 * teacher.value + 0.5 * random.gaussian_vector(dimension);
  const Vector value =
      0.9 * teacher.value - 0.4 * teacher.key + 0.4 * random.gaussian_vector(dimension);
  for (const Kernel kernel : {Kernel::kSoftmax, Kernel::kLinear, Kernel::kSoftplus}) {
    const Problem problem{Model::kSpiked, 2, {3, 3}, 0};
    const Index samples = 20000;
    const DataSet data = draw_data_set(problem, teacher, samples, random);
    double sum = 0, squares = 0;
    for (Index n = 0; n < samples; ++n) {
      const double miss =
          data.labels[n] - predict(kernel, data.tokens.middleRows(3 * n, 3), key, value);
      sum += miss * miss;
      squares += miss * miss * miss * miss;
    }
    const auto count = static_cast<double>(samples);
    const double direct = sum / count;
    const double error = std::sqrt((squares / count - direct * direct) / count);
    const RiskEstimate estimate =
        risk_monte_carlo(problem, kernel, 0, overlaps_of(key, value, teacher), samples, random);
    CHECK(estimate.standard_error < error);
    CHECK(close(estimate.risk, direct, 0, 3.7 * std::hypot(error, estimate.standard_error)));
  }
}

TEST_CASE("overlaps that no vectors have are refused") {
  RandomStream random(22, 1);
  Overlaps overlaps;
  overlaps.key = 2;
  overlaps.key_power = 1;
  CHECK_THROWS_WITH_AS(
      risk_monte_carlo({Model::kSpiked, 1, {2, 2}, 0}, Kernel::kSoftmax, 0, overlaps, 10, random),
      doctest::Contains("overlaps"), Error);
}
