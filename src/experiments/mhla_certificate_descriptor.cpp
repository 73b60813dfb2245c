#include "experiments/describe.h"
#include "experiments/mhla_certificate.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  std::vector<Parameter> parameters;
  parameters.push_back(parameter(ParameterType::kInteger, "keyDimension", "d", 4.0, {2, 4, 1},
                                 "Key dimension", "Tokens hold a key and a value: 2d coordinates.",
                                 "memory"));
  parameters.push_back(parameter(ParameterType::kInteger, "samples", "N", 16384.0,
                                 {64, 32768, 0, true}, "Samples",
                                 "Prompts of the associative memory for every share.", "memory"));
  Parameter shares =
      parameter(ParameterType::kNumbers, "shares", "",
                std::vector<double>{0, 0.005, 0.01, 0.02, 0.05}, {0, 1, 0.005}, "Gaussian shares",
                "Of the prompts; the others have orthogonal keys and values.", "memory");
  shares.maximum_count = 8;
  parameters.push_back(shares);
  parameters.push_back(parameter(ParameterType::kNumber, "noise", "σ", 0.1, {0, 1, 0.01},
                                 "Label noise", "For the noisy fit.", "minimisers"));
  parameters.push_back(parameter(ParameterType::kNumber, "start", "", 0.05, {0, 1, 0.01},
                                 "Size of a random start", "Of each coefficient.", "minimisers"));
  parameters.push_back(parameter(ParameterType::kInteger, "unfinished", "", 200.0,
                                 {1, 2000, 0, true}, "Steps of the unfinished solver",
                                 "Gradient descent from 0 with step 1/λ_{max}.", "minimisers"));
  parameters.push_back(parameter(ParameterType::kInteger, "listSamples", "", 400.0,
                                 {1, 4000, 0, true}, "Samples of the listed data sets",
                                 "Four coordinates, 40 features.", "list"));
  parameters.push_back(parameter(ParameterType::kInteger, "listLength", "n", 6.0, {4, 32, 1},
                                 "Tokens of their prompts",
                                 "Tokens of the prompts in the list of data sets.", "list"));
  return parameters;
}

std::vector<Preset> make_presets() {
  return {
      {"figure-2",
       "Figure 2",
       "arXiv 2410.10101, section 4.2 and Figure 2, d = 4, N = 2¹⁴",
       "With orthogonal keys 40 of 288 coefficients are open. Exact least squares of least "
       "norm is right all the same; a random start, noise or an unfinished solver is not.",
       {}},
      {"whole-range",
       "All shares",
       "arXiv 2410.10101, section 4.2",
       "From orthogonal to Gaussian prompts.",
       {{"samples", 4096.0}, {"shares", std::vector<double>{0, 0.01, 0.05, 0.1, 0.25, 0.5, 1}}}},
      {"small",
       "d = 2",
       "arXiv 2410.10101, section 4.2; ranks derived",
       "Two pairs: 36 of 40 features are determined by orthogonal prompts.",
       {{"keyDimension", 2.0}, {"samples", 2048.0}}}};
}

std::vector<TableSpec> make_tables() {
  const Column share = number_of("share", "", "share of Gaussian prompts");
  return {{"eigenvalues",
           "Certificate against the share of Gaussian prompts",
           {share, number_of("minimumEigenvalue", "λ_{min}", "smallest eigenvalue of Λ"),
            number_of("maximumEigenvalue", "λ_{max}", "largest"),
            number_of("rank", "", "rank of the features"),
            number_of("dimension", "ψ", "number of features"),
            number_of("ownDetermined", "", "share determined, orthogonal prompts"),
            number_of("otherDetermined", "", "share determined, Gaussian prompts"),
            number_of("otherLeverage", "", "median leverage of these")}},
          {"distances",
           "Distance of the learned function from the truth",
           {text_of("way", "way of training"), share,
            number_of("minimumEigenvalue", "λ_{min}", "smallest eigenvalue of Λ"),
            number_of("distance", "", "|p − p*|")}},
          {"list",
           "Which data pass",
           {text_of("data", "data"), number_of("number", "", "number"),
            number_of("rank", "", "rank"), number_of("dimension", "ψ", "number of features"),
            number_of("minimumEigenvalue", "λ_{min}", "smallest eigenvalue"),
            number_of("provenRank", "", "rank proven modulo 2³¹ − 1; −1: not whole numbers"),
            number_of("onData", "", "RMS difference of two minimisers on the data"),
            number_of("offData", "", "RMS difference on Gaussian prompts"),
            number_of("determined", "", "share of Gaussian prompts that are determined"),
            text_of("verdict", "verdict")}},
          {"open",
           "Coefficients that the one-hot data leave open",
           {text_of("feature", "feature"), number_of("share", "", "share within the null space")}},
          {"summary",
           "In short",
           {number_of("orthogonalRank", "", "rank at the smallest share"),
            number_of("dimension", "ψ", "number of features"),
            number_of("exactDistance", "", "distance of least squares of least norm there"),
            number_of("startDistance", "", "distance from a random start there"),
            number_of("startGap", "", "RMS error off the data from a random start"),
            number_of("lastShare", "", "largest share"),
            number_of("lastEigenvalue", "λ_{min}", "smallest eigenvalue there")}}};
}

std::vector<Figure> make_figures() {
  Figure distance;
  distance.name = "distance";
  distance.label = "How far from the truth training ends";
  distance.caption =
      "|p − p*| after training on N = {samples} prompts, d = {keyDimension}. All but the "
      "unfinished "
      "solver are at the least training loss they can reach. Least norm: exact least squares in "
      "the paper's coordinates. Random start: trained to the end from coefficients of size "
      "{start}; what they have in the null space stays. Noise: labels with σ = {noise}. "
      "Unfinished: {unfinished} steps of gradient descent from 0.";
  distance.x = {"share of Gaussian prompts", "", "", false};
  distance.y = {"distance from the truth", "|p − p*|", "", true};
  distance.marks = {simulated_dots("distances", "share", "distance", "", "{series}", "way")};
  Figure eigenvalue;
  eigenvalue.name = "eigenvalue";
  eigenvalue.label = "Smallest eigenvalue of Λ";
  eigenvalue.caption =
      "Of the second moment of the {summary.dimension} features. At share 0 it is exactly 0: the "
      "rank is {summary.orthogonalRank}.";
  eigenvalue.x = {"share of Gaussian prompts", "", "", false};
  eigenvalue.y = {"smallest eigenvalue", "λ_{min}", "", true};
  eigenvalue.marks = {simulated_dots("eigenvalues", "share", "minimumEigenvalue", "", "λ_{min}")};
  Figure inputs;
  inputs.name = "inputs";
  inputs.label = "Prompt by prompt";
  inputs.caption =
      "Share of fresh prompts whose output every minimiser agrees on: their features lie in the "
      "range of Λ. Prompts like the data are determined although the model is not.";
  inputs.x = {"share of Gaussian prompts", "", "", false};
  inputs.y = {"share determined", "", "", false};
  inputs.marks = {
      simulated_dots("eigenvalues", "share", "ownDetermined", "", "orthogonal prompts"),
      with_colour(simulated_dots("eigenvalues", "share", "otherDetermined", "", "Gaussian prompts"),
                  "softmax")};
  Figure list;
  list.name = "list";
  list.label = "Which data pass";
  list.caption =
      "d = 4, {listSamples} prompts of {listLength} tokens. RMS difference of two minimisers, of "
      "the same training loss to rounding, on Gaussian prompts they were not trained on: least "
      "norm, and the same plus a unit null vector in each output.";
  list.x = {"data set", "", "", false};
  list.y = {"RMS difference off the data", "", "", false};
  list.marks = {simulated_dots("list", "number", "offData", "", "{series}", "data")};
  return {distance, eigenvalue, inputs, list};
}

Descriptor make_descriptor() {
  Descriptor d(kMhlaCertificate);
  d.title = "When do the data determine the model?";
  d.summary =
      "The smallest eigenvalue that certifies a unique answer, the set of minimisers where there "
      "is none, and the certificate for a single prompt.";
  d.answer =
      "Orthogonal prompts determine {summary.orthogonalRank} of {summary.dimension} coefficients: "
      "least squares of least norm is still {summary.exactDistance} from the truth, but training "
      "from a random start ends {summary.startDistance} away and errs by {summary.startGap} off "
      "the data. At a share of {summary.lastShare}, λ_{min} is {summary.lastEigenvalue}.";
  d.source = "arXiv 2410.10101, sections 3 and 4.2, Lemma 2.3, A.3, A.7";
  d.parameters = make_parameters();
  d.presets = make_presets();
  d.tables = make_tables();
  d.figures = make_figures();
  return d;
}

}  // namespace

const Descriptor& mhla_certificate_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments
