#include "experiments/describe.h"
#include "experiments/needle_haystack.h"
#include "experiments/needle_setup.h"
#include "experiments/word_text.h"

namespace attnlab::experiments {
namespace {

constexpr const char* kPaper = "arXiv 2509.21936, Sections 2 and 4";

std::vector<Parameter> make_parameters() {
  Parameter snr = needle_snr_parameter(16);
  snr.shown_when = {"model", {"spiked"}};
  Parameter dimension = parameter(ParameterType::kInteger, "dimension", "D", 16.0,
                                  {2, 128, 1, true}, "Coordinates of a token",
                                  "The chance to find it does not depend "
                                  "on them.",
                                  "tokens");
  dimension.shown_when = {"source", {"synthetic"}};
  dimension.rare = true;
  Parameter words;
  words.name = "text";
  words.type = ParameterType::kText;
  words.default_value = std::string(kDefaultText);
  words.maximum = 200000;
  words.label = "Text";
  words.help = "English; prompts are passages of it, words without a vector are left out.";
  words.group = "tokens";
  words.shown_when = {"source", {"text"}};
  Parameter key = words;
  key.name = "keyWord";
  key.default_value = std::string("answer");
  key.maximum = 40;
  key.label = "Look for";
  key.help = "The hidden key is this word's vector.";
  Parameter tokens;
  tokens.name = "tokens";
  tokens.symbol = "X";
  tokens.type = ParameterType::kMatrix;
  tokens.default_value = Matrix(0, 0);
  tokens.label = "Your tokens";
  tokens.help = "A row a token; prompts are draws from the rows.";
  tokens.group = "tokens";
  tokens.shown_when = {"source", {"matrix"}};
  Parameter prompts =
      parameter(ParameterType::kInteger, "prompts", "", 1000.0, {20, 100000, 20, true},
                "Simulated prompts", "For every length.", "play");
  prompts.rare = true;
  Parameter steps =
      parameter(ParameterType::kInteger, "trainingSteps", "", 2048.0, {4, 2048, 1, true},
                "Training steps", "Of the figure in which both learn.", "play");
  steps.rare = true;
  Parameter length = needle_length_parameter(12, 40);
  length.minimum = 2;
  return {
      length,
      snr,
      parameter(ParameterType::kNumber, "sharpness", "|k|/|k|ₒₚₜ", 1.0, {0, 1, 0.05},
                "How far training has come",
                "Training turns the key to the hidden one and lengthens it; 0 looks "
                "everywhere alike, 1 is the best there is.",
                "model"),
      needle_model_parameter(false),
      parameter(ParameterType::kInteger, "shown", "", 1.0, {1, 200, 1}, "Prompt on show",
                "Go through them.", "play"),
      choice("source",
             {{"synthetic", "drawn at random"}, {"text", "words of a text"}, {"matrix", "yours"}},
             "Tokens", "What the haystack is made of.", "tokens"),
      dimension,
      words,
      key,
      tokens,
      prompts,
      steps};
}

std::vector<Preset> make_presets() {
  return {{"find-it",
           "Twelve tokens",
           kPaper,
           "Softmax puts its attention on the one token that matters; linear attention cannot.",
           {}},
          {"long",
           "Forty tokens",
           "arXiv 2509.21936, Corollary 4.3",
           "The longer the prompt, the thinner linear attention is spread; softmax holds.",
           {{"length", 40.0}}},
          {"faint",
           "A faint hint",
           "arXiv 2509.21936, Proposition 4.2",
           "At ν = 2 nobody can be sure where the needle is, not even the best estimator.",
           {{"snr", 2.0}}},
          {"largest",
           "The largest score",
           "arXiv 2509.21936, max-SLR with ν = ∞",
           "Nothing is added to the needle: it only has the largest score of all.",
           {{"model", std::string("argmax")}}},
          {"words",
           "Words",
           kPaper,
           "Passages of a text as word vectors, the needle marked along the vector of a word.",
           {{"source", std::string("text")}, {"length", 14.0}, {"snr", 25.0}}}};
}

std::vector<TableSpec> make_tables() {
  return {
      {"weights",
       "Attention on the prompt on show",
       {number_of("position", "l", "position"), text_of("token", "token"),
        number_of("softmax", "", "softmax attention"), number_of("linear", "", "linear attention"),
        number_of("needle", "", "1 at the needle")}},
      {"needle",
       "The needle",
       {number_of("position", "l", "position"), number_of("weight", "", "weight 1"),
        text_of("token", "token")}},
      {"lengths",
       "Found, and at what risk",
       {number_of("length", "L", "tokens in the prompt"),
        number_of("softmaxFound", "", "found by softmax, share of prompts"),
        number_of("softmaxFoundError", "", "one standard error of it"),
        number_of("linearFound", "", "found by linear attention, share of prompts"),
        number_of("linearFoundError", "", "one standard error of it"),
        number_of("softmaxRisk", "", "mean squared error of softmax"),
        number_of("softmaxRiskError", "", "one standard error of it"),
        number_of("linearRisk", "", "mean squared error of linear attention"),
        number_of("linearRiskError", "", "one standard error of it"),
        number_of("softmaxTheory", "", "risk of softmax, theory"),
        number_of("linearTheory", "", "risk of linear attention, theory")}},
      {"training",
       "While they learn",
       {number_of("step", "", "training steps, 32 new prompts each"),
        number_of("softmaxFound", "", "found by softmax, share of prompts"),
        number_of("linearFound", "", "found by linear attention, share of prompts"),
        number_of("softmaxRisk", "", "mean squared error of softmax"),
        number_of("linearRisk", "", "mean squared error of linear attention")}},
      {"summary",
       "The score",
       {number_of("position", "l", "the needle's position"),
        text_of("token", "the needle"),
        {"softmaxShare", "", "%", "softmax attention on the needle, this prompt",
         ColumnType::kNumber},
        {"linearShare", "", "%", "linear attention on the needle, this prompt",
         ColumnType::kNumber},
        {"softmaxFound", "", "%", "found by softmax", ColumnType::kNumber},
        {"linearFound", "", "%", "found by linear attention", ColumnType::kNumber},
        number_of("softmaxRisk", "", "mean squared error of softmax"),
        number_of("linearRisk", "", "mean squared error of linear attention"),
        number_of("prompts", "", "simulated prompts")}}};
}

Figure bars_figure() {
  Figure figure;
  figure.name = "bars";
  figure.label = "Where the attention goes";
  figure.caption =
      "One prompt of {length} tokens. The dot marks the token that decides the answer, position "
      "{needle.position} ({needle.token}); whoever puts weight 1 there and 0 elsewhere is right. "
      "Bars: the weights with which the two attentions add up the tokens' values.";
  figure.x = {"position in the prompt", "l", "", false};
  figure.y = {"attention", "", "", false};
  Mark softmax =
      with_colour(simulated_dots("weights", "position", "softmax", "", "softmax"), "softmax");
  Mark linear =
      with_colour(simulated_dots("weights", "position", "linear", "", "linear"), "linear");
  Mark needle =
      with_role(simulated_dots("needle", "position", "weight", "", "the needle"), Role::kReference);
  needle.colour = "bayes";
  figure.marks = {with_kind(softmax, MarkKind::kBars), with_kind(linear, MarkKind::kBars), needle};
  return figure;
}

Figure found_figure() {
  Figure figure;
  figure.name = "found";
  figure.label = "How often it is found";
  figure.caption =
      "Share of {prompts} prompts for which more than half of all attention is on the needle, with "
      "one standard error.";
  figure.x = {"tokens in the prompt", "L", "", true};
  figure.y = {"found", "", "", false};
  figure.marks = {
      with_colour(
          simulated_dots("lengths", "length", "softmaxFound", "softmaxFoundError", "softmax"),
          "softmax"),
      with_colour(simulated_dots("lengths", "length", "linearFound", "linearFoundError", "linear"),
                  "linear")};
  return figure;
}

Figure risk_figure() {
  Figure figure;
  figure.name = "risk";
  figure.label = "How wrong the answers are";
  figure.caption =
      "Mean squared error, 1 for an answer of 0. Dots: simulated prompts, with one standard "
      "error. "
      "Lines: theory for tokens drawn at random.";
  figure.x = {"tokens in the prompt", "L", "", true};
  figure.y = {"mean squared error", "", "", false};
  figure.marks = {
      with_colour(theory_line("lengths", "length", "softmaxTheory", "softmax, theory",
                              Standing::kTheorem, "arXiv 2509.21936, Proposition 4.2"),
                  "softmax"),
      with_colour(theory_line("lengths", "length", "linearTheory", "linear, theory",
                              Standing::kDerived, "1 − A²/B at the best scale, in closed form"),
                  "linear"),
      with_colour(simulated_dots("lengths", "length", "softmaxRisk", "softmaxRiskError", "softmax"),
                  "softmax"),
      with_colour(simulated_dots("lengths", "length", "linearRisk", "linearRiskError", "linear"),
                  "linear")};
  return figure;
}

Figure training_figure() {
  Figure figure;
  figure.name = "training";
  figure.label = "While they learn";
  figure.caption =
      "Both start from small random vectors and see the same new prompts, 32 a step, of at most 16 "
      "tokens. Dots: share of 300 other prompts in which the needle is found.";
  figure.x = {"training steps", "", "", true};
  figure.y = {"found", "", "", false};
  figure.marks = {
      with_colour(simulated_dots("training", "step", "softmaxFound", "", "softmax"), "softmax"),
      with_colour(simulated_dots("training", "step", "linearFound", "", "linear"), "linear")};
  return figure;
}

}  // namespace

const Descriptor& needle_haystack_descriptor() {
  static const Descriptor kDescriptor = [] {
    Descriptor d(kNeedleHaystack);
    d.title = "Can you find the needle?";
    d.summary =
        "One token of the prompt matters; softmax attention finds it, linear attention blurs it.";
    d.answer =
        "The needle is token {summary.position}. Softmax puts {summary.softmaxShare} % of its "
        "attention there, linear attention {summary.linearShare} %; over {summary.prompts} prompts "
        "softmax finds the needle in {summary.softmaxFound} %, linear attention in "
        "{summary.linearFound} %.";
    d.source = kPaper;
    d.parameters = make_parameters();
    d.presets = make_presets();
    d.tables = make_tables();
    d.figures = {bars_figure(), found_figure(), risk_figure(), training_figure()};
    d.resources = {{"glove-4000", {"source", {"text"}}}};
    return d;
  }();
  return kDescriptor;
}

}  // namespace attnlab::experiments
