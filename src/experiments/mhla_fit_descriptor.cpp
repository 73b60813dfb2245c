#include "experiments/describe.h"
#include "experiments/mhla_fit.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  std::vector<Parameter> parameters;
  Parameter tokens =
      parameter(ParameterType::kMatrix, "tokens", "Z", Matrix(0, 0), {0, 0}, "Tokens",
                "A row a token, prompt after prompt. None: an example.", "data");
  parameters.push_back(tokens);
  parameters.push_back(parameter(ParameterType::kMatrix, "targets", "y", Matrix(0, 0), {0, 0},
                                 "Targets", "A row a prompt (or a token), a column an output.",
                                 "data"));
  parameters.push_back(
      choice("prompts",
             {{"equal", "all of the same length"}, {"numbered", "numbered by the first column"}},
             "Prompts", "How the rows are cut into prompts.", "data"));
  Parameter length = parameter(ParameterType::kInteger, "length", "n", 5.0, {1, 4096, 1},
                               "Tokens of a prompt", "Every so many rows are one prompt.", "data");
  length.shown_when = {"prompts", {"equal"}};
  parameters.push_back(length);
  parameters.push_back(choice(
      "reading",
      {{"last", "the last token of each prompt"}, {"prefix", "every token, from those before it"}},
      "Targets belong to", "Which token the output is read at.", "data"));
  parameters.push_back(choice("method",
                              {{"auto", "by size and conditioning"},
                               {"cholesky", "Gram matrix, Cholesky"},
                               {"tsqr", "streamed QR"},
                               {"svd", "streamed QR, singular values"},
                               {"dual", "kernel form"}},
                              "Way", "How the least-squares problem is solved.", "fit"));
  parameters.push_back(parameter(ParameterType::kNumber, "ridge", "λ", 0.0, {0, 1e6}, "Ridge",
                                 "Adds this times |W|² to the mean squared error.", "fit"));
  Parameter noise =
      parameter(ParameterType::kNumber, "exampleNoise", "σ", 0.0, {0, 2, 0.01},
                "Noise of the example", "Of its labels; only without own data.", "example");
  parameters.push_back(noise);
  parameters.push_back(parameter(ParameterType::kInteger, "exampleSamples", "N", 200.0,
                                 {1, 20000, 0, true}, "Prompts of the example",
                                 "Drawn in the place of own data.", "example"));
  parameters.push_back(parameter(ParameterType::kInteger, "exampleDimension", "d", 3.0, {1, 6, 1},
                                 "Coordinates of the example",
                                 "Coordinates of a token; only without own data.", "example"));
  return parameters;
}

std::vector<Preset> make_presets() {
  return {{"example",
           "An example",
           "arXiv 2410.10101, Algorithm 1",
           "200 prompts answered by one head: learned exactly.",
           {}},
          {"noisy",
           "Noisy labels",
           "arXiv 2410.10101, Algorithm 1 in the agnostic case",
           "Labels with noise: the training error is the noise that least squares leaves.",
           {{"exampleNoise", 0.5}}},
          {"too-few",
           "Too few prompts",
           "arXiv 2410.10101, Lemma 2.3",
           "Twelve prompts for eighteen coefficients: the fit is perfect and means little.",
           {{"exampleSamples", 12.0}}}};
}

std::vector<TableSpec> make_tables() {
  const Column output = number_of("output", "a", "output");
  return {
      {"summary",
       "The fit and its certificate",
       {text_of("method", "way taken"), number_of("samples", "N", "samples"),
        number_of("tokenDimension", "d", "coordinates of a token"),
        number_of("outputs", "", "outputs"), number_of("rank", "", "rank of the features"),
        number_of("dimension", "ψ", "features"),
        number_of("trainingError", "", "mean squared error, summed over outputs"),
        number_of("variance", "", "variance of the targets"),
        number_of("relativeError", "", "their ratio"),
        number_of("condition", "", "scaled condition number"),
        number_of("minimumEigenvalue", "λ_{min}", "smallest eigenvalue of Λ"),
        number_of("maximumEigenvalue", "λ_{max}", "largest"), number_of("heads", "H", "heads"),
        text_of("verdict", "verdict")}},
      {"predictions",
       "Predictions",
       {number_of("sample", "", "sample"), output, number_of("target", "y", "target"),
        number_of("prediction", "", "prediction"),
        number_of("leverage", "", "leverage of the prompt")}},
      {"values",
       "Singular values of W",
       {number_of("number", "", "number"), number_of("value", "s", "singular value")}},
      {"coefficients",
       "Coefficients",
       {output, text_of("feature", "feature"), number_of("value", "C", "coefficient"),
        number_of("open", "", "share of its direction that the data leave open")}},
      {"heads",
       "Heads",
       {number_of("head", "h", "head"), text_of("matrix", "matrix"), number_of("row", "", "row"),
        number_of("column", "", "column"), number_of("value", "", "entry")}},
      {"warnings", "Warnings", {text_of("warning", "warning")}}};
}

std::vector<Figure> make_figures() {
  Figure predictions;
  predictions.name = "predictions";
  predictions.label = "Predictions against targets";
  predictions.caption =
      "Every sample and output (at most 2,000 points). Way taken: {summary.method}; rank "
      "{summary.rank} of {summary.dimension}: {summary.verdict}.";
  predictions.x = {"target", "y", "", false};
  predictions.y = {"prediction", "", "", false};
  Mark same = with_role(
      theory_line("predictions", "target", "target", "prediction = target", Standing::kNone, ""),
      Role::kReference);
  predictions.marks = {same, simulated_dots("predictions", "target", "prediction", "", "samples")};
  Figure values;
  values.name = "values";
  values.label = "Singular values of W";
  values.caption = "Each above 1e-12 of the first is a head: {summary.heads} heads.";
  values.x = {"number", "", "", false};
  values.y = {"singular value", "s", "", true};
  values.marks = {simulated_dots("values", "number", "value", "", "s")};
  return {predictions, values};
}

Descriptor make_descriptor() {
  Descriptor d(kMhlaFit);
  d.title = "What does linear attention learn from your data?";
  d.summary = "Your own prompts and targets: heads, certificate and predictions.";
  d.answer =
      "{summary.samples} samples leave a mean squared error of {summary.trainingError} "
      "({summary.relativeError} of the targets' variance) with {summary.heads} heads; rank "
      "{summary.rank} of {summary.dimension}: {summary.verdict}.";
  d.source = "arXiv 2410.10101, Algorithm 1, Lemma 2.3";
  d.parameters = make_parameters();
  d.presets = make_presets();
  d.tables = make_tables();
  d.figures = make_figures();
  return d;
}

}  // namespace

const Descriptor& mhla_fit_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments
