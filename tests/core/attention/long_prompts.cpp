// Sums over very many tokens, and scores at the ends of the range.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "attention/attention.h"
#include "core/error.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::attention;

namespace {

// Of sums of equal numbers: 256 keys a block, 16 blocks until a double takes their sum over, half
// an ulp each.
constexpr float kFloatSum = (256 + 16) * 0x1p-25F;

// One query on n equal tokens of one coordinate.
template <class Scalar>
Scalar output_of_equal(Index n, Scalar value, Scalar key, const Options& options) {
  const MatrixOf<Scalar> query = MatrixOf<Scalar>::Constant(1, 1, 1);
  const MatrixOf<Scalar> keys = MatrixOf<Scalar>::Constant(n, 1, key);
  const MatrixOf<Scalar> values = MatrixOf<Scalar>::Constant(n, 1, value);
  return forward<Scalar>(query, keys, values, VectorOf<Scalar>(), options)(0, 0);
}

std::string refused(const Options& options, double query, double key) {
  try {
    forward<double>(Matrix::Constant(1, 1, query), Matrix::Constant(1, 1, key),
                    Matrix::Constant(1, 1, 1), Vector(), options);
  } catch (const Error& error) {
    return error.parameter();
  }
  return "";
}

}  // namespace

TEST_CASE("an average of equal floats is that float to rounding, however many there are") {
  for (const Index n : {4096, 4097, 131072, 1000003})
    for (const bool causal : {false, true}) {
      Options options;
      options.causal = causal;
      CAPTURE(n);
      const float found = output_of_equal<float>(n, .1F, .3F, options);
      CHECK(std::fabs(found - .1F) < kFloatSum * .1F);
    }
}

TEST_CASE("sums over many floats keep to those in double for every kernel that sums") {
  for (const Kernel kernel :
       {Kernel::kLinear, Kernel::kLinearMean, Kernel::kErf, Kernel::kSigmoid, Kernel::kSoftplus})
    for (const bool causal : {false, true}) {
      Options options;
      options.kernel = kernel;
      options.causal = causal;
      options.bias = .2;
      const double wide = output_of_equal<double>(200000, .1, .3, options);
      const float found = output_of_equal<float>(200000, .1F, .3F, options);
      CAPTURE(kernel_name(kernel));
      CHECK(std::fabs(found - wide) < (kFloatSum + 1e-6) * wide);  // and of each weight
    }
}

TEST_CASE("a score whose reference grows on the way keeps what earlier tokens gave") {
  // The second half outweighs the first by e^2 a token; both are many blocks long.
  const Index n = 20000;
  MatrixOf<float> keys = MatrixOf<float>::Zero(n, 1);
  keys.bottomRows(n / 2).setConstant(2);
  MatrixOf<float> values = MatrixOf<float>::Zero(n, 1);
  values.topRows(n / 2).setConstant(1);
  const float found = forward<float>(MatrixOf<float>::Constant(1, 1, 1), keys, values,
                                     VectorOf<float>(), Options())(0, 0);
  CHECK(std::fabs(found - 1 / (1 + std::exp(2.0))) < 1e-6);
}

TEST_CASE("what makes the scores too large is named, and what a kernel ignores is no harm") {
  Options options;
  CHECK(refused(options, 1e200, 1e200) == "queries");
  CHECK(refused(options, 1e10, 1e300) == "keys");
  options.scale = 1e308;
  CHECK(refused(options, 1, 1) == "scale");
  options = {};
  options.bias = options.offset = 1e308;
  CHECK(refused(options, 1, 1).empty());
  options.kernel = Kernel::kSigmoid;
  CHECK(refused(options, 1, 1) == "bias");
  options.kernel = Kernel::kLinear;
  CHECK(refused(options, 1, 1) == "offset");
}
