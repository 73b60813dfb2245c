// mhla/ for JavaScript. Prompts come as {tokens, lengths}: the rows of all prompts, one prompt
// after the other, and how many rows each has.
#include <emscripten/bind.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/nearest_name.h"
#include "core/require.h"
#include "mhla/certificate.h"
#include "mhla/fit.h"
#include "mhla/heads.h"
#include "mhla/model.h"
#include "wasm/boundary.h"
#include "wasm/long_call.h"

namespace attnlab::wasm {
namespace {

mhla::Prompts read_prompts(const val& request, const char* name) {
  const val given = request[name];
  mhla::Prompts prompts;
  prompts.tokens = read_matrix(given["tokens"], name);
  for (const Index length : read_counts(given["lengths"]))
    prompts.starts.push_back(prompts.starts.back() + length);
  mhla::require_prompts(prompts, name);
  return prompts;
}

mhla::OutputMode read_mode(const val& request) {
  const auto name = read_text(request, "mode");
  if (name == "last") return mhla::OutputMode::kLast;
  if (name == "full") return mhla::OutputMode::kFull;
  if (name == "prefix") return mhla::OutputMode::kPrefix;
  fail_unknown("mode", name, {"last", "full", "prefix"});
}

mhla::Samples read_samples(const val& request, const char* name) {
  const auto mode = read_mode(request);
  const auto prompts = read_prompts(request, name);
  switch (mode) {
    case mhla::OutputMode::kFull:
      return mhla::full_samples(prompts);
    case mhla::OutputMode::kPrefix:
      return mhla::prefix_samples(prompts);
    case mhla::OutputMode::kLast:
      break;
  }
  return mhla::last_samples(prompts);
}

mhla::Heads read_heads(const val& request) {
  const val list = request["heads"];
  mhla::Heads heads(static_cast<std::size_t>(read_number(list, "length")));
  for (std::size_t h = 0; h < heads.size(); ++h) {
    heads[h].value = read_matrix(list[h]["value"], "heads");
    heads[h].query = read_matrix(list[h]["query"], "heads");
  }
  mhla::require_heads(heads);
  return heads;
}

val write_heads(const mhla::Heads& heads) {
  val list = val::array();
  for (const auto& head : heads) {
    val entry = val::object();
    entry.set("value", write_matrix(head.value));
    entry.set("query", write_matrix(head.query));
    list.call<void>("push", entry);
  }
  return list;
}

val forward(const val& request) {
  return guarded([&] {
    const auto prompts = read_prompts(request, "prompts");
    const auto heads = read_heads(request);
    const auto mode = read_mode(request);
    require_shape(heads.front().query.rows(), heads.front().query.cols(), prompts.dimension(),
                  prompts.dimension(), "heads");
    val outputs = val::array();
    for (Index i = 0; i < prompts.count(); ++i)
      outputs.call<void>("push", write_matrix(mhla::apply(heads, prompts.prompt(i), mode)));
    return outputs;
  });
}

val features(const val& request) {
  return guarded([&] {
    const auto samples = read_samples(request, "prompts");
    require_memory(static_cast<double>(samples.count()) *
                       static_cast<double>(mhla::feature_count(samples.dimension())) * 8,
                   kLargestResultBytes, "prompts");
    return write_matrix(mhla::features(samples));
  });
}

val predict(const val& request) {
  return guarded([&] {
    const auto samples = read_samples(request, "prompts");
    const Matrix coefficients = read_matrix(request["coefficients"], "coefficients");
    require_shape(coefficients.rows(), coefficients.cols(), -1,
                  mhla::feature_count(samples.dimension()), "coefficients");
    require_finite(coefficients, "coefficients");
    return write_matrix(mhla::predict(coefficients, samples));
  });
}

// Beyond it a fit has no heads either, and its features are too many to be named.
constexpr Index kLargestNamedDimension = 32;

class FitCall final : public LongCall {
 public:
  FitCall(mhla::Samples samples, Matrix targets, mhla::FitOptions options)
      : token_dimension_(samples.dimension()),
        count_(samples.count()),
        fit_(std::move(samples), std::move(targets), std::move(options)) {}
  bool step() override { return fit_.step(); }
  double progress() const override { return fit_.progress(); }
  val result() override {
    const auto& found = fit_.result();
    val result = val::object();
    result.set("coefficients", write_matrix(found.coefficients));
    result.set("heads", write_heads(found.heads));
    result.set("singularValues", write_vector(found.singular_values));
    result.set("samples", static_cast<double>(count_));
    result.set("rank", static_cast<double>(found.rank));
    result.set("dimension", static_cast<double>(found.dimension));
    std::vector<std::string> names;
    const Index named = token_dimension_ <= kLargestNamedDimension ? found.dimension : 0;
    for (Index feature = 0; feature < named; ++feature)
      names.push_back(mhla::feature_text(token_dimension_, feature));
    result.set("featureNames", write_texts(names));
    result.set("trainingError", found.training_error);
    result.set("targetVariance", found.target_variance);
    result.set("method", val(found.method));
    result.set("condition", found.condition);
    result.set("warnings", write_texts(found.warnings));
    return result;
  }

 private:
  Index token_dimension_, count_;
  mhla::Fit fit_;
};

std::unique_ptr<LongCall> begin_fit(const val& request) {
  mhla::FitOptions options;
  options.method = mhla::fit_method(read_text(request, "method"));
  options.ridge = read_number(request, "ridge");
  options.head_tolerance = read_number(request, "headTolerance");
  options.heads = read_flag(request, "returnHeads");
  if (has(request, "weights")) options.weights = read_vector(request["weights"]);
  require_range(options.head_tolerance, 0, 1, "headTolerance");
  return std::make_unique<FitCall>(read_samples(request, "prompts"),
                                   read_matrix(request["targets"], "targets"), std::move(options));
}

class CertificateCall final : public LongCall {
 public:
  CertificateCall(mhla::Samples samples, mhla::CertificateOptions options, mhla::Samples queries,
                  bool return_null_space)
      : count_(samples.count()),
        certificate_(std::move(samples), std::move(options)),
        queries_(std::move(queries)),
        return_null_space_(return_null_space) {}

  bool step() override {
    constexpr Index kQueriesAStep = 16;
    if (!certified_) {
      certified_ = certificate_.step();
      return certified_ && queries_.count() == 0;
    }
    const Index end = std::min(queries_.count(), done_ + kQueriesAStep);
    for (; done_ < end; ++done_) {
      const auto found = certificate_.at(queries_, done_);
      val entry = val::object();
      entry.set("determined", found.determined);
      entry.set("residual", found.residual);
      entry.set("leverage", found.leverage);
      per_input_.call<void>("push", entry);
    }
    return done_ == queries_.count();
  }
  double progress() const override { return certified_ ? 0.99 : 0.99 * certificate_.progress(); }
  val result() override {
    const auto& found = certificate_.result();
    val result = val::object();
    result.set("minimumEigenvalue", found.minimum_eigenvalue);
    result.set("maximumEigenvalue", found.maximum_eigenvalue);
    result.set("rank", static_cast<double>(found.rank));
    result.set("dimension", static_cast<double>(found.dimension));
    result.set("samples", static_cast<double>(count_));
    result.set("identifiable", found.identifiable);
    result.set("condition", found.condition);
    if (found.proven_rank >= 0) result.set("provenRank", static_cast<double>(found.proven_rank));
    result.set("method", val(found.method));
    val open = val::array();
    for (const auto& direction : found.open_directions) {
      val entry = val::object();
      entry.set("feature", static_cast<double>(direction.feature));
      entry.set("text", val(direction.text));
      entry.set("share", direction.share);
      open.call<void>("push", entry);
    }
    result.set("openDirections", open);
    if (return_null_space_) result.set("nullSpace", write_matrix(found.null_space));
    result.set("warnings", write_texts(found.warnings));
    if (queries_.count() > 0) result.set("perInput", per_input_);
    return result;
  }

 private:
  Index count_;
  mhla::Certificate certificate_;
  mhla::Samples queries_;
  bool return_null_space_;
  bool certified_ = false;
  Index done_ = 0;
  val per_input_ = val::array();
};

std::unique_ptr<LongCall> begin_certificate(const val& request) {
  mhla::CertificateOptions options;
  if (has(request, "weights")) options.weights = read_vector(request["weights"]);
  options.null_space = read_flag(request, "returnNullSpace");
  auto samples = read_samples(request, "prompts");
  mhla::Samples queries;
  if (has(request, "queries")) {
    queries = read_samples(request, "queries");
    require_shape(queries.count(), queries.dimension(), -1, samples.dimension(), "queries");
  }
  return std::make_unique<CertificateCall>(std::move(samples), std::move(options),
                                           std::move(queries),
                                           read_flag(request, "returnNullSpace"));
}

const LongCallRegistration fit_registration("mhlaFit", &begin_fit);
const LongCallRegistration certificate_registration("mhlaCertificate", &begin_certificate);

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_mhla) {
  emscripten::function("mhlaForward", &forward);
  emscripten::function("mhlaFeatures", &features);
  emscripten::function("mhlaPredict", &predict);
}

}  // namespace attnlab::wasm
