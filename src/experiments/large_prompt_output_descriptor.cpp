#include "experiments/describe.h"
#include "experiments/large_prompt_output.h"
#include "experiments/token_source.h"

namespace attnlab::experiments {
namespace {

constexpr const char* kDerived =
    "n E|m_n − T(a)|² → exp(Λ(2a) − 2Λ(a)) (tr ∇²Λ(2a) + |∇Λ(2a) − ∇Λ(a)|²), derived by the delta "
    "method";

std::vector<Parameter> make_parameters() {
  std::vector<Parameter> parameters;
  {
    Parameter p;
    p.name = "magnitudes";
    p.symbol = "|a|";
    p.type = ParameterType::kNumbers;
    p.default_value = std::vector<double>{0.25, 0.5, 1, 2, 3};
    p.minimum = 0.01;
    p.maximum = 8;
    p.step = 0.05;
    p.label = "Sizes of a";
    p.help = "a = U z is the query as the tokens see it; one curve for each size.";
    p.maximum_count = 6;
    p.group = "query";
    parameters.push_back(p);
  }
  for (auto& p : token_source_parameters())
    parameters.push_back(p);
  {
    Parameter p;
    p.name = "largestCount";
    p.symbol = "n";
    p.type = ParameterType::kInteger;
    p.default_value = 16384.0;
    p.minimum = 64;
    p.maximum = 131072;
    p.logarithmic = true;
    p.label = "Longest prompt";
    p.help = "Prompts have 16, 32, 64, … tokens up to this many.";
    p.group = "simulation";
    parameters.push_back(p);
  }
  {
    Parameter p;
    p.name = "replicates";
    p.symbol = "R";
    p.type = ParameterType::kInteger;
    p.default_value = 200.0;
    p.minimum = 4;
    p.maximum = 4000;
    p.step = 4;
    p.logarithmic = true;
    p.label = "Prompts of the longest size";
    p.help = "Shorter prompts are drawn more often, up to 64 times as many.";
    p.group = "simulation";
    p.rare = true;
    parameters.push_back(p);
  }
  return parameters;
}

std::vector<Preset> make_presets() {
  std::vector<Preset> presets;
  presets.push_back({"magnitudes",
                     "Five sizes of a",
                     "arXiv 2512.11784, Proposition 3.1",
                     "At d = 5 the error falls as 1/√n once n passes e^{2q}, q = |a|²; at |a| = 3 "
                     "the softmax stays frozen on its few largest scores.",
                     {}});
  presets.push_back(
      {"dimensions",
       "Three dimensions",
       "arXiv 2512.11784, Proposition 3.1",
       "At |a| = 1 the rate is the same for every d; the constant is e (d + 1).",
       {{"magnitudes", std::vector<double>{1}}, {"dimensions", std::vector<double>{2, 5, 10}}}});
  presets.push_back({"singular",
                     "Singular covariance",
                     "arXiv 2512.11784, Lemma 2.1",
                     "Half of the coordinates are copies of the others: the limit is linear all "
                     "the same.",
                     {{"magnitudes", std::vector<double>{0.25, 0.5, 1}},
                      {"dimensions", std::vector<double>{6}},
                      {"covariance", std::string("singular")}}});
  presets.push_back({"signs",
                     "Random signs",
                     "derived, T(a) = tanh a",
                     "Bounded tokens: the limit bends, and the constant stays small at every |a|.",
                     {{"source", std::string("rademacher")}}});
  presets.push_back({"laplace",
                     "Laplace tokens",
                     "derived, T(a) = a / (1 − a²/2) a coordinate",
                     "The 1/√n law needs Λ(2a): it ends at half of the domain, and outside the "
                     "domain the output keeps growing with n.",
                     {{"source", std::string("laplace")},
                      {"dimensions", std::vector<double>{2}},
                      {"magnitudes", std::vector<double>{0.25, 0.5, 1.5, 4}}}});
  presets.push_back(
      {"correlated",
       "Tokens like the one before",
       "derived, sum of autocovariances",
       "The limit is that of independent tokens; the constant counts how often the "
       "prompt repeats itself.",
       {{"source", std::string("ar1")}, {"magnitudes", std::vector<double>{0.25, 0.5, 1}}}});
  presets.push_back({"text",
                     "A text",
                     "arXiv 2512.11784, equation of T[μ]; derived constants",
                     "Words drawn from a text, as vectors in five principal components: the "
                     "reference is softmax attention over the whole text.",
                     {{"source", std::string("text")},
                      {"magnitudes", std::vector<double>{0.25, 0.5, 1, 2}},
                      {"largestCount", 8192.0}}});
  return presets;
}

std::vector<TableSpec> make_tables() {
  const Column curve = text_of("curve", "curve");
  const Column magnitude = number_of("magnitude", "|a|", "size of a");
  const Column dimension = number_of("dimension", "d", "dimension");
  const Column tokens{"tokenCount", "n", "tokens", "tokens in the prompt", ColumnType::kNumber};
  const Column rms = number_of("rms", "", "RMS of |m_n − T(a)|, simulated");
  const Column rms_error = number_of("rmsError", "", "one standard error of it");
  std::vector<TableSpec> tables;
  tables.push_back({"points",
                    "Error and effective sample size against n",
                    {curve, magnitude, dimension, tokens, rms, rms_error,
                     number_of("growth", "", "RMS of |m_n| where T(a) does not exist"),
                     number_of("growthError", "", "one standard error of it"),
                     number_of("theory", "", "√(constant / n), n ≥ 10 e^{2q}"),
                     number_of("early", "", "the same formula before it holds"),
                     number_of("frozenError", "", "attention frozen on its largest score"),
                     number_of("sampleShare", "ESS / n", "effective sample share, simulated"),
                     number_of("sampleShareError", "", "one standard error of it"),
                     number_of("sampleShareTheory", "e^{−q}", "effective sample share, limit"),
                     number_of("largestWeight", "max p", "mean largest softmax weight"),
                     number_of("prompts", "R", "prompts drawn")}});
  tables.push_back({"curves",
                    "Constants and slopes",
                    {curve,
                     magnitude,
                     dimension,
                     number_of("exponent", "q", "Λ(2a) − 2Λ(a)"),
                     number_of("constant", "", "limit of n E|m_n − T(a)|²"),
                     number_of("slope", "", "slope of log RMS, n ≥ 1024"),
                     number_of("slopeError", "", "one standard error of it"),
                     number_of("slopeAll", "", "slope of log RMS, all n"),
                     number_of("slopeAllError", "", "one standard error of it"),
                     number_of("sampleShareTheory", "e^{−q}", "effective sample share, limit"),
                     {"frozenBelow", "", "tokens", "frozen below", ColumnType::kNumber},
                     {"lawFrom", "", "tokens", "1/√n law from", ColumnType::kNumber},
                     number_of("nonlinearity", "", "|T(a) − T(0) − Γa| / |Γa|")}});
  tables.push_back({"summary",
                    "The curve with |a| nearest to 1",
                    {curve, magnitude, dimension, tokens, rms, rms_error,
                     number_of("theory", "", "√(constant / n)"),
                     number_of("slope", "", "slope of log RMS, n ≥ 1024"),
                     number_of("slopeError", "", "one standard error of it"),
                     number_of("nonlinearity", "", "|T(a) − T(0) − Γa| / |Γa|"),
                     number_of("knownWords", "", "words of the text with a vector"),
                     number_of("distinctWords", "", "of which differ"),
                     number_of("unknownWords", "", "words without a vector, left out")}});
  tables.push_back({"frozen",
                    "Sizes at which the softmax is frozen",
                    {curve, tokens, number_of("low", "", "lower edge of the strip"),
                     number_of("high", "", "upper edge of the strip")}});
  tables.push_back({"words",
                    "Words without a vector",
                    {text_of("word", "word"), number_of("count", "", "occurrences")}});
  return tables;
}

Figure error_figure() {
  Figure figure;
  figure.name = "error";
  figure.label = "Distance from the infinite-prompt limit";
  figure.caption =
      "Dots: root mean square of |m_n − T(a)| over independent prompts, with one standard error. "
      "Solid lines: √(constant / n) with the derived constant, for n ≥ 10 e^{2q}; dotted, the same "
      "formula before its terms of higher order are small. Where the strip is hatched (q > 2 ln n "
      "for Gaussian tokens) the 1/√n law is undefined: no token drawn so far has a score as large "
      "as those that carry the limit, so the softmax is frozen on its few largest scores, and a "
      "longer prompt helps only by replacing them.";
  figure.x = {"tokens in the prompt", "n", "tokens", true};
  figure.y = {"RMS error of the output", "", "", true};
  Mark mark;
  mark.table = "frozen";
  mark.kind = MarkKind::kBand;
  mark.role = Role::kUndefined;
  mark.x = "tokenCount";
  mark.low = "low";
  mark.high = "high";
  mark.series = "curve";
  mark.label = "frozen, {series}";
  mark.colour = "series";
  mark.standing = Standing::kHeuristic;
  mark.source = "random-energy argument: ln n below the relative entropy of the tilted measure";
  figure.marks.push_back(mark);

  mark = Mark();
  mark.table = "points";
  mark.x = "tokenCount";
  mark.series = "curve";
  mark.colour = "series";
  mark.role = Role::kTheory;
  mark.y = "theory";
  mark.label = "{series}";
  mark.standing = Standing::kDerived;
  mark.source = kDerived;
  figure.marks.push_back(mark);
  mark.role = Role::kReference;
  mark.y = "early";
  mark.label = "{series}, before the law holds";
  figure.marks.push_back(mark);
  mark.y = "frozenError";
  mark.label = "{series}, frozen on the largest score";
  mark.standing = Standing::kHeuristic;
  mark.source = "exact for hard attention: largest of n normal scores";
  figure.marks.push_back(mark);
  mark.kind = MarkKind::kDots;
  mark.role = Role::kSimulation;
  mark.y = "rms";
  mark.error = "rmsError";
  mark.label = "{series}, simulated";
  mark.standing = Standing::kNone;
  mark.source.clear();
  figure.marks.push_back(mark);
  mark.y = "growth";
  mark.error = "growthError";
  mark.label = "{series}, no limit: size of the output itself";
  mark.shown_when = {"source", {"laplace", "exponential"}};
  figure.marks.push_back(mark);
  return figure;
}

Figure sample_figure() {
  Figure figure;
  figure.name = "sample";
  figure.label = "Effective sample share";
  figure.caption =
      "Dots: mean of ESS / n, ESS = (Σ w)² / Σ w², with one standard error. Lines: its limit "
      "exp(2Λ(a) − Λ(2a)), which is e^{−q} for Gaussian tokens. ESS is never below 1, so the share "
      "starts at 1 / n where the softmax is frozen.";
  figure.x = {"tokens in the prompt", "n", "tokens", true};
  figure.y = {"effective sample share", "ESS / n", "", true};
  Mark mark;
  mark.table = "points";
  mark.x = "tokenCount";
  mark.series = "curve";
  mark.colour = "series";
  mark.role = Role::kTheory;
  mark.y = "sampleShareTheory";
  mark.label = "{series}";
  mark.standing = Standing::kDerived;
  mark.source = "ESS / n → exp(2Λ(a) − Λ(2a)), law of large numbers";
  figure.marks.push_back(mark);
  mark.kind = MarkKind::kDots;
  mark.role = Role::kSimulation;
  mark.y = "sampleShare";
  mark.error = "sampleShareError";
  mark.label = "{series}, simulated";
  mark.standing = Standing::kNone;
  mark.source.clear();
  figure.marks.push_back(mark);
  return figure;
}

Descriptor make_descriptor() {
  Descriptor descriptor(kLargePromptOutput);
  descriptor.title = "How many tokens until softmax attention is at its limit?";
  descriptor.summary =
      "The distance of softmax attention over n tokens from the operator it tends to, beside the "
      "derived constant, and where no 1/√n law holds.";
  descriptor.answer =
      "With {summary.tokenCount} tokens and |a| = {summary.magnitude} the output is {summary.rms} "
      "± {summary.rmsError} from its limit (derived: {summary.theory})[, and from 1024 tokens on "
      "the error falls with slope {summary.slope} ± {summary.slopeError}]; attention on these "
      "tokens is {summary.nonlinearity} from linear, in units of the linear part.";
  descriptor.source = "arXiv 2512.11784, Lemma 2.1 and Proposition 3.1";
  descriptor.parameters = make_parameters();
  descriptor.presets = make_presets();
  descriptor.tables = make_tables();
  descriptor.figures = {error_figure(), sample_figure()};
  descriptor.resources = token_source_resources();
  return descriptor;
}

}  // namespace

const Descriptor& large_prompt_output_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments
