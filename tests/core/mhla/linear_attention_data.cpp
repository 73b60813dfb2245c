#include "mhla/linear_attention_data.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "mhla/certificate.h"
#include "mhla/features.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

CertificateResult certify(PromptKind kind, Index count, Index length, Index d) {
  RandomStream stream(11, static_cast<std::uint64_t>(kind));
  Certificate certificate(last_samples(draw_prompts(kind, count, length, d, stream)));
  while (!certificate.step()) {
  }
  return certificate.result();
}

std::string failed_parameter(PromptKind kind, Index length, Index d) {
  RandomStream stream(1, 1);
  try {
    draw_prompts(kind, 3, length, d, stream);
  } catch (const Error& error) {
    return error.parameter();
  }
  return "none";
}

}  // namespace

TEST_CASE("at d = 4 each kind of data determines its own count of the 40 features") {
  // arXiv 2410.10101's condition, d = 4, psi = 40, six tokens.
  CHECK(certify(PromptKind::kGaussian, 400, 6, 4).rank == 40);
  CHECK(certify(PromptKind::kGaussian, 400, 2, 4).rank == 40);
  CHECK(certify(PromptKind::kGaussian, 400, 1, 4).rank == 20);
  CHECK(certify(PromptKind::kRademacher, 400, 6, 4).rank == 28);
  CHECK(certify(PromptKind::kBits, 400, 6, 4).rank == 40);
  CHECK(certify(PromptKind::kConstant, 400, 6, 4).rank == 40);
  CHECK(certify(PromptKind::kDependent, 400, 6, 4).rank == 18);
  CHECK(certify(PromptKind::kWhitened, 400, 6, 4).rank == 4);
  CHECK(certify(PromptKind::kOneHot, 400, 6, 4).rank == 16);
}

TEST_CASE("the counts of determined features hold in other dimensions") {
  for (const PromptKind kind :
       {PromptKind::kGaussian, PromptKind::kRademacher, PromptKind::kBits, PromptKind::kConstant,
        PromptKind::kDependent, PromptKind::kWhitened, PromptKind::kOneHot})
    for (Index d = 3; d <= 5; d += 2) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(d);
      CHECK(certify(kind, 400, d + 2, d).rank == determined_features(kind, d));
    }
}

TEST_CASE("whole-number data are proven to determine what they determine") {
  CHECK(certify(PromptKind::kBits, 400, 6, 4).proven_rank == 40);
  CHECK(certify(PromptKind::kRademacher, 400, 6, 4).proven_rank == 28);
  CHECK(certify(PromptKind::kOneHot, 400, 6, 4).proven_rank == 16);
}

TEST_CASE("whitened prompts have the identity as Gram matrix and other data their own marks") {
  RandomStream stream(1, 1);
  const Prompts whitened = draw_prompts(PromptKind::kWhitened, 5, 7, 3, stream);
  for (Index i = 0; i < 5; ++i)
    CHECK(tests::largest_difference(whitened.prompt(i).transpose() * whitened.prompt(i),
                                    Matrix::Identity(3, 3)) < 1e-14);
  const Prompts constant = draw_prompts(PromptKind::kConstant, 5, 4, 3, stream);
  CHECK(constant.tokens.col(2).isOnes(0));
  const Prompts dependent = draw_prompts(PromptKind::kDependent, 5, 4, 3, stream);
  CHECK(tests::largest_difference(dependent.tokens.col(2),
                                  dependent.tokens.col(0) + dependent.tokens.col(1)) == 0);
  const Prompts signs = draw_prompts(PromptKind::kRademacher, 50, 4, 3, stream);
  CHECK(signs.tokens.cwiseAbs().isOnes(0));
  CHECK(std::fabs(signs.tokens.mean()) < 4 / std::sqrt(600.0));
  const Prompts one_hot = draw_prompts(PromptKind::kOneHot, 50, 4, 3, stream);
  CHECK(one_hot.tokens.rowwise().sum().isOnes(0));
}

TEST_CASE("the two readings of the paper's scale differ as variance and standard deviation do") {
  RandomStream stream(1, 2);
  const auto variance = [&](ScaleReading reading) {
    const Prompts prompts = random_sequences(64, 100, 4, reading, stream);
    return prompts.tokens.squaredNorm() / static_cast<double>(prompts.tokens.size());
  };
  // T = 100: 1 / sqrt(T) and 1 / T; the relative error of 25600 squares is .0088.
  CHECK(std::fabs(variance(ScaleReading::kVariance) / 0.1 - 1) < 0.036);
  CHECK(std::fabs(variance(ScaleReading::kDeviation) / 0.01 - 1) < 0.036);
  const auto of_heads = [&](ScaleReading reading) {
    double sum = 0, count = 0;
    for (const Head& head : random_heads(200, 1, 4, reading, stream)) {
      sum += head.query.squaredNorm() + head.value.squaredNorm();
      count += 20;
    }
    return sum / count;
  };
  CHECK(std::fabs(of_heads(ScaleReading::kVariance) / 0.5 - 1) < 0.09);
  CHECK(std::fabs(of_heads(ScaleReading::kDeviation) / 0.25 - 1) < 0.09);
  CHECK(scale_reading("deviation") == ScaleReading::kDeviation);
  CHECK_THROWS_AS(scale_reading("std"), Error);
}

TEST_CASE("data that cannot be drawn are refused by name") {
  CHECK(failed_parameter(PromptKind::kWhitened, 3, 4) == "length");
  CHECK(failed_parameter(PromptKind::kConstant, 3, 1) == "dimension");
  CHECK(failed_parameter(PromptKind::kDependent, 3, 2) == "dimension");
  CHECK(failed_parameter(PromptKind::kGaussian, 0, 2) == "length");
}
