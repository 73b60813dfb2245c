// The certificate of identifiability, on any data.
#include "mhla/certificate.h"

#include <algorithm>
#include <utility>

#include "prompts.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

void check(const mhla::CertificateResult& found, Index samples) {
  expect(found.dimension > 0 && found.rank >= 0, "the rank is negative");
  expect(found.rank <= std::min(found.dimension, samples), "the rank is above its bound");
  expect(found.proven_rank <= found.rank, "the rank is below its proven bound");
  expect(found.identifiable == (found.rank == found.dimension), "identifiable is not by rank");
  expect_finite(found.maximum_eigenvalue, "the largest eigenvalue");
  expect_between(0, found.minimum_eigenvalue, found.maximum_eigenvalue,
                 1e-9 * found.maximum_eigenvalue, "the smallest eigenvalue");
  expect_finite(found.null_space, "the null space");
  for (const auto& open : found.open_directions) {
    expect_between(0, open.share, 1, 1e-9, "a share");
    expect(open.feature >= 0 && open.feature < found.dimension, "a feature's number");
  }
}

void check_inputs(const mhla::Certificate& certificate, const mhla::Samples& queries) {
  for (Index i = 0; i < queries.count(); ++i) {
    const auto at = certificate.at(queries, i);
    expect_between(0, at.residual, 1, 1e-6, "a residual");
    expect(at.leverage >= 0, "a leverage is " + show(at.leverage));
  }
}

void run(Input& input) {
  accepted([&] {
    const Index d = input.count(1, 3);
    auto samples = draw_samples(input, d, 24, "prompts");
    const auto queries = draw_samples(input, d, 3, "queries");
    const Index count = samples.count();
    mhla::CertificateOptions options;
    options.exact_for_whole_numbers = input.flag();
    if (input.byte() < 64) options.weights = input.vector(count);
    mhla::Certificate certificate(std::move(samples), options);
    for (int steps = 0; !certificate.step(); ++steps)
      expect(steps < 100000, "the certificate does not end");
    check(certificate.result(), count);
    check_inputs(certificate, queries);
  });
}

const Target kTarget("mhla_certificate", run);

}  // namespace
}  // namespace attnlab::fuzz
