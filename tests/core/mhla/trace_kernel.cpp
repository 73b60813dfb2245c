#include "mhla/trace_kernel.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "mhla/automaton_attention.h"
#include "mhla/features.h"
#include "mhla/kernel.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("the sparse kernel of two prefixes is the inner product of the paper's features") {
  RandomStream stream(5, 1);
  const auto layout = automaton_layout(2, 2, 2);
  SparseAttention attention(universal_automaton_heads(layout));
  std::vector<Trace> traces;
  for (int i = 0; i < 3; ++i)
    traces.push_back(
        execute(layout, attention, {random_automaton(2, 2, stream), random_word(2, 2, stream), 0})
            .trace);
  // The same prefixes as dense samples of kernel.h.
  std::vector<Matrix> prefixes;
  for (const Trace& trace : traces)
    for (Index s = 0; s < trace.steps(); ++s)
      prefixes.push_back(dense_prompt(
          std::span(trace.tokens).first(static_cast<std::size_t>(trace.prompt_length + s)),
          layout.dimension()));
  const Samples samples = last_samples(join_prompts(prefixes));

  TraceKernel kernel(layout.dimension());
  Index row = 0;
  for (const Trace& trace : traces)
    for (Index s = 0; s < trace.steps(); ++s, ++row) {
      kernel.set(std::span(trace.tokens).first(static_cast<std::size_t>(trace.prompt_length + s)));
      std::vector<double> values;
      for (const Trace& other : traces)
        kernel.append_against(other, values);
      REQUIRE(values.size() == prefixes.size());
      for (Index column = 0; column < samples.count(); ++column)
        CHECK(values[static_cast<std::size_t>(column)] ==
              mhla::kernel(samples, row, samples, column));
      CHECK(kernel.self() == mhla::kernel(samples, row, samples, row));
    }
}

TEST_CASE("kernels of too many coordinates are refused") {
  CHECK_THROWS_AS(TraceKernel(5000), Error);
  CHECK_THROWS_AS(TraceKernel(0), Error);
}
