#include "experiments/describe.h"
#include "experiments/large_prompt_enough_tokens.h"
#include "experiments/token_source.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  std::vector<Parameter> parameters = {
      parameter(ParameterType::kNumber, "tolerance", "ε", 0.1, {0.001, 2, 0, true}, "Tolerance",
                "Allowed RMS error, in units of what attention adds to the plain mean.",
                "question"),
      parameter(ParameterType::kNumber, "scale", "s", 0.5, {0.01, 5, 0, true},
                "Scale of the scores", "Queries are tokens z of their own; a = s A z.",
                "question")};
  Parameter weights =
      parameter(ParameterType::kMatrix, "weights", "A", Matrix(0, 0), {0, 0}, "Your weights",
                "Kᵀ Q, d × d; not given: the identity.", "question");
  weights.rare = true;
  parameters.push_back(weights);
  for (auto& p : independent_token_parameters()) {
    if (p.name == "direction") continue;  // queries are tokens here
    if (p.name == "dimensions") p.maximum_count = 1;
    parameters.push_back(p);
  }
  parameters.push_back(parameter(ParameterType::kInteger, "queries", "", 16.0, {1, 200, 1, true},
                                 "Queries", "Drawn once from the tokens.", "simulation"));
  parameters.push_back(parameter(
      ParameterType::kInteger, "largestCount", "n", 4096.0, {64, 65536, 0, true}, "Longest prompt",
      "Prompts have 16, 32, 64, … tokens up to this many.", "simulation"));
  parameters.push_back(parameter(ParameterType::kInteger, "replicates", "R", 60.0,
                                 {4, 2000, 0, true}, "Prompts of the longest size",
                                 "Shorter prompts are drawn up to 16 times as often.",
                                 "simulation"));
  parameters.push_back(parameter(ParameterType::kInteger, "tokenCount", "n₀", 1024.0,
                                 {16, 8192, 0, true}, "Tokens when swapping",
                                 "At this length the approximations are compared.", "swap"));
  parameters.push_back(parameter(
      ParameterType::kInteger, "swapPrompts", "", 10.0, {2, 200, 1, true}, "Prompts when swapping",
      "Prompts on which each approximation takes the place of softmax.", "swap"));
  for (auto& p : parameters)
    if (p.group == "simulation" || p.name == "swapPrompts") p.rare = true;
  return parameters;
}

std::vector<TableSpec> make_tables() {
  const Column tokens{"tokenCount", "n", "tokens", "tokens in the prompt", ColumnType::kNumber};
  const auto count = [](const char* name, const char* label) {
    return Column{name, "", "tokens", label, ColumnType::kNumber};
  };
  return {{"points",
           "Error against n",
           {tokens, number_of("linear", "", "softmax from its linear surrogate, RMS, simulated"),
            number_of("linearError", "", "one standard error"),
            number_of("linearTheory", "", "√(floor² + constant / n)"),
            number_of("linearEarly", "", "the same formula before it holds"),
            number_of("limit", "", "softmax from its own limit, RMS, simulated"),
            number_of("limitError", "", "one standard error"),
            number_of("limitTheory", "", "√(constant / n)"),
            number_of("limitEarly", "", "the same formula before it holds"),
            number_of("floor", "", "limit from the linear surrogate"),
            number_of("tolerance", "ε", "tolerance"), number_of("prompts", "R", "prompts drawn")}},
          {"summary",
           "Tokens needed",
           {number_of("tolerance", "ε", "tolerance"),
            count("tokens", "for the linear surrogate, simulated"),
            count("tokensLow", "of the curve less two standard errors"),
            count("tokensHigh", "of the curve plus two standard errors"),
            count("tokensTheory", "for the linear surrogate, derived"),
            count("limitTokens", "for the infinite-prompt limit, simulated"),
            count("limitTokensLow", "of the curve less two standard errors"),
            count("limitTokensHigh", "of the curve plus two standard errors"),
            count("limitTokensTheory", "for the infinite-prompt limit, derived"),
            number_of("floor", "", "error that no length removes"),
            text_of("reachable", "can the linear surrogate reach the tolerance"),
            number_of("dimension", "d", "dimension of the tokens")}},
          {"swaps",
           "Approximations at n₀ tokens",
           {text_of("method", "method"), text_of("setting", "setting"),
            number_of("cost", "", "multiply-adds for the whole prompt"),
            number_of("share", "", "of those of softmax"),
            number_of("error", "", "RMS error, relative, simulated"),
            number_of("errorError", "", "one standard error"),
            text_of("within", "within the tolerance"),
            number_of("lost", "", "prompts with a vanished denominator")}}};
}

Descriptor make_descriptor() {
  const char* derived = "mean over the queries of the derived finite-n constants";
  Descriptor result(kLargePromptEnoughTokens);
  result.title = "How long must my prompt be before softmax may be replaced?";
  result.summary =
      "The number of tokens from which softmax attention is within a tolerance of its linear "
      "surrogate, on your tokens and your weights, and what each approximation costs and loses.";
  result.answer =
      "Can softmax attention on these tokens come within {summary.tolerance} of its linear "
      "surrogate: {summary.reachable}.[ Tokens needed: {summary.tokens}, between "
      "{summary.tokensLow} and {summary.tokensHigh}.][ By the derived law: "
      "{summary.tokensTheory}.] "
      "No length brings it nearer than {summary.floor}.";
  result.source = "arXiv 2512.11784, Lemma 2.1 and Proposition 3.1; derived constants";
  result.parameters = make_parameters();
  result.presets = {
      {"gaussian",
       "Gaussian tokens",
       "arXiv 2512.11784, Lemma 2.1",
       "The limit is linear: every tolerance is reached, at a number of tokens that the constant "
       "gives.",
       {}},
      {"text",
       "A text",
       "arXiv 2512.11784, T[μ] of an empirical measure; derived constants",
       "Words are not Gaussian: an error remains that no length removes.",
       {{"source", std::string("text")}, {"tolerance", 0.4}}},
      {"clusters",
       "Two clusters",
       "derived, mixture measures",
       "Attention on clusters picks one: the linear surrogate never gets near.",
       {{"source", std::string("mixture")}, {"tolerance", 0.2}}}};
  result.tables = make_tables();
  Figure error;
  error.name = "error";
  error.label = "Error of the linear surrogate against the length of the prompt";
  error.caption =
      "RMS over queries and prompts, in units of what attention adds to the plain mean. Dots: "
      "simulated, with one standard error. Lines: derived. The linear surrogate m + Γ a can come "
      "no "
      "nearer than the floor, which is how far the limit itself is from linear on these tokens; a "
      "prompt is long enough where the dots pass the tolerance. The lines are dotted where "
      "they are still too high: a quarter of the constant or more comes from queries with n < 10 "
      "e^{2q}, q = Λ(2a) − 2Λ(a).";
  error.x = {"tokens in the prompt", "n", "tokens", true};
  error.y = {"relative RMS error", "", "", true};
  const auto coloured = [](Mark mark, const char* colour) {
    return with_colour(std::move(mark), colour);
  };
  error.marks = {coloured(theory_line("points", "tokenCount", "linearTheory",
                                      "from the linear surrogate", Standing::kDerived, derived),
                          "linear"),
                 coloured(theory_line("points", "tokenCount", "limitTheory", "from its own limit",
                                      Standing::kDerived, derived),
                          "softmax"),
                 coloured(with_role(theory_line("points", "tokenCount", "linearEarly",
                                                "from the surrogate, before the law holds",
                                                Standing::kDerived, derived),
                                    Role::kReference),
                          "linear"),
                 coloured(with_role(theory_line("points", "tokenCount", "limitEarly",
                                                "from its own limit, before the law holds",
                                                Standing::kDerived, derived),
                                    Role::kReference),
                          "softmax"),
                 coloured(with_role(theory_line("points", "tokenCount", "floor", "floor",
                                                Standing::kDerived, "T(a) − m − Γa, closed form"),
                                    Role::kBound),
                          "linear"),
                 coloured(with_role(theory_line("points", "tokenCount", "tolerance", "tolerance",
                                                Standing::kNone, ""),
                                    Role::kReference),
                          "bayes"),
                 coloured(simulated_dots("points", "tokenCount", "linear", "linearError",
                                         "from the linear surrogate, simulated"),
                          "linear"),
                 coloured(simulated_dots("points", "tokenCount", "limit", "limitError",
                                         "from its own limit, simulated"),
                          "softmax")};
  Figure swap;
  swap.name = "swap";
  swap.label = "Error against cost at n₀ tokens";
  swap.caption =
      "Dots: RMS distance from softmax attention on the same prompts of {tokenCount} tokens, with "
      "one standard error over prompts, against multiply-adds as a share of those of softmax. "
      "Linformer's projection is not trained: it pools runs of tokens.";
  swap.x = {"cost, as a share of softmax", "", "", true};
  swap.y = {"relative RMS error", "", "", true};
  swap.marks = {simulated_dots("swaps", "share", "error", "errorError", "{series}", "method")};
  result.figures = {error, swap};
  result.resources = token_source_resources();
  return result;
}

}  // namespace

const Descriptor& large_prompt_enough_tokens_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments
