// Where the tokens of a large-prompt experiment come from: one set of parameters and one reading
// of them, shared by those experiments.
#pragma once

#include <memory>

#include "experiments/descriptor.h"
#include "experiments/word_text.h"
#include "measure/measure.h"

namespace attnlab::experiments {

// source, dimensions, covariance, persistence, tokens, text, components, scaling, direction. Every
// named law has mean 0 and variance 1 in each coordinate.
std::vector<Parameter> token_source_parameters();
// The same of independent tokens: without "ar1" and persistence.
std::vector<Parameter> independent_token_parameters();
std::vector<ResourceNeed> token_source_resources();

struct TokenSource {
  std::unique_ptr<measure::Measure> measure;  // what prompts are drawn from, and the reference
  Vector direction;                           // of a, length one
  Index dimension = 0;
  double persistence = 0;  // phi of measure/autoregressive.h; 0: independent tokens
};

// A direction that is no parameter of the experiment is the diagonal. One source for every entry of
// `dimensions` where the source has a free dimension, else one. Throws Error naming the parameter
// that does not fit.
std::vector<TokenSource> token_sources(const Values& values, std::uint64_t seed);

// The words of the text; empty unless the source is a text.
TextTokens source_text(const Values& values);

// |T(a) - T(0) - G a| / |G a|, G the covariance of the tokens: how far attention on these tokens
// is from linear at a. 0 for a Gaussian; NaN where G a = 0 or where T(a) does not exist.
double nonlinearity(const measure::Measure& measure, const VectorRef& a);

}  // namespace attnlab::experiments
