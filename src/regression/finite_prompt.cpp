#include "regression/finite_prompt.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <string>

#include "core/portable.h"
#include "core/require.h"
#include "measure/psd_factor.h"

namespace attnlab::regression {
namespace {

void require_prompts(const Prompts& prompts, Index dimension, std::string_view parameter) {
  const Index count = prompts.queries.rows();
  require_shape(prompts.tokens.rows(), prompts.tokens.cols(), count * prompts.length,
                prompts.queries.cols(), "tokens");
  require_shape(prompts.labels.size(), 1, prompts.tokens.rows(), 1, "labels");
  require_shape(prompts.targets.size(), 1, count, 1, "targets");
  if (prompts.length < 1) fail(ErrorCode::kOutOfRange, "length", "1 or more is expected");
  if (dimension != prompts.queries.cols())
    fail(ErrorCode::kShape, parameter,
         "has dimension " + std::to_string(dimension) + "; the tokens have " +
             std::to_string(prompts.queries.cols()));
}

// Softmax of tokens a over one prompt, with what the loss and the gradient need of it.
struct Attended {
  double label;        // sum p_i y_i
  Vector token;        // sum p_i x_i
  Vector label_token;  // sum p_i y_i x_i
};

Attended attend(const Prompts& prompts, Index p, const Vector& a, Vector& scores) {
  const Index L = prompts.length;
  const Index d = prompts.tokens.cols();
  const auto tokens = prompts.tokens.middleRows(p * L, L);
  scores.noalias() = tokens * a;
  const double largest = scores.maxCoeff();
  Attended result{0, Vector::Zero(d), Vector::Zero(d)};
  double total = 0;
  for (Index i = 0; i < L; ++i) {
    const double w = portable::exp(scores(i) - largest);
    const double wy = w * prompts.labels(p * L + i);
    total += w;
    result.label += wy;
    for (Index j = 0; j < d; ++j) {
      result.token(j) += w * tokens(i, j);
      result.label_token(j) += wy * tokens(i, j);
    }
  }
  result.label /= total;
  result.token /= total;
  result.label_token /= total;
  return result;
}

}  // namespace

Prompts draw_prompts(const PromptLaw& law, Index count, Index length, RandomStream& random) {
  const Index d = law.covariance.rows();
  const Matrix factor = measure::psd_factor(law.covariance, "covariance");
  const bool identity = law.covariance == Matrix::Identity(d, d);
  const double task_size = std::sqrt(law.task_variance);
  const double noise_size = std::sqrt(law.label_variance);
  Prompts prompts{
      length,        Matrix(count * length, d), Vector(count * length), Matrix(count, d),
      Vector(count), Matrix(count, d)};
  Vector normal(identity ? d : factor.cols());
  const auto draw = [&](auto row) {
    random.fill_gaussian({normal.data(), static_cast<std::size_t>(normal.size())});
    if (identity) {
      row = normal.transpose();
    } else {
      row = (factor * normal).transpose();
    }
  };
  for (Index p = 0; p < count; ++p) {
    const Vector w = task_size * random.gaussian_vector(d);
    prompts.tasks.row(p) = w.transpose();
    draw(prompts.queries.row(p));
    prompts.targets(p) = w.dot(prompts.queries.row(p));
    if (law.noisy_targets) prompts.targets(p) += noise_size * random.gaussian();
    for (Index i = p * length; i < (p + 1) * length; ++i) {
      draw(prompts.tokens.row(i));
      prompts.labels(i) = w.dot(prompts.tokens.row(i));
      if (noise_size > 0) prompts.labels(i) += noise_size * random.gaussian();
    }
  }
  return prompts;
}

HeadGradient finite_prompt(const Prompts& prompts, const Head& head) {
  require_prompts(prompts, head.A.rows(), "A");
  require_shape(head.A.rows(), head.A.cols(), head.A.rows(), head.A.rows(), "A");
  require_finite(head.A, "A");
  require_finite(head.b, "b");
  const Index count = prompts.queries.rows();
  HeadGradient result{0, Matrix::Zero(head.A.rows(), head.A.cols()), 0};
  Vector scores(prompts.length);
  for (Index p = 0; p < count; ++p) {
    const Vector query = prompts.queries.row(p).transpose();
    const Attended seen = attend(prompts, p, head.A * query, scores);
    const double gap = head.b * seen.label - prompts.targets(p);
    result.loss += gap * gap / 2;
    result.b += gap * seen.label;
    // d label / d a = sum p_i (y_i - label) x_i.
    result.A += (gap * head.b) * ((seen.label_token - seen.label * seen.token) * query.transpose());
  }
  const auto n = static_cast<double>(count);
  return {result.loss / n, result.A / n, result.b / n};
}

HeadGradient finite_prompt_risk(const PromptLaw& law, const Prompts& prompts, const Head& head) {
  HeadGradient result = finite_prompt(prompts, head);
  require_shape(prompts.tasks.rows(), prompts.tasks.cols(), prompts.queries.rows(), head.A.rows(),
                "tasks");
  const HeadGradient limit = infinite_prompt(law.covariance, head);
  const auto n = static_cast<double>(prompts.queries.rows());
  for (Index p = 0; p < prompts.queries.rows(); ++p) {
    const Vector query = prompts.queries.row(p).transpose();
    const Vector seen = law.covariance * prompts.tasks.row(p).transpose();
    const double label = seen.dot(head.A * query);
    const double gap = head.b * label - prompts.targets(p);
    result.loss -= gap * gap / 2 / n;
    result.b -= gap * label / n;
    result.A -= (gap * head.b / n) * (seen * query.transpose());
  }
  result.loss += law.task_variance * limit.loss;
  if (law.noisy_targets) result.loss += law.label_variance / 2;
  result.b += law.task_variance * limit.b;
  result.A += law.task_variance * limit.A;
  return result;
}

Vector finite_predictions(const Prompts& prompts, const Head& head) {
  return finite_predictions(prompts, std::vector<Head>{head});
}

Vector finite_predictions(const Prompts& prompts, const std::vector<Head>& heads) {
  Vector predictions = Vector::Zero(prompts.queries.rows());
  Vector scores(prompts.length);
  for (const Head& head : heads) {
    require_prompts(prompts, head.A.rows(), "A");
    for (Index p = 0; p < predictions.size(); ++p)
      predictions(p) +=
          head.b * attend(prompts, p, head.A * prompts.queries.row(p).transpose(), scores).label;
  }
  return predictions;
}

Vector linear_predictions(const Prompts& prompts, const MatrixRef& P) {
  require_prompts(prompts, P.rows(), "P");
  require_shape(P.rows(), P.cols(), P.rows(), P.rows(), "P");
  const Index L = prompts.length;
  Vector predictions(prompts.queries.rows());
  for (Index p = 0; p < predictions.size(); ++p) {
    const Vector a = P * prompts.queries.row(p).transpose();
    double total = 0;
    for (Index i = p * L; i < (p + 1) * L; ++i)
      total += prompts.labels(i) * prompts.tokens.row(i).dot(a);
    predictions(p) = total / static_cast<double>(L);
  }
  return predictions;
}

Vector ridge_predictions(const Prompts& prompts, double ridge) {
  require_prompts(prompts, prompts.queries.cols(), "queries");
  require_finite(ridge, "ridge");
  if (ridge < 0)
    fail(ErrorCode::kOutOfRange, "ridge", "is " + show(ridge) + "; 0 or more is allowed");
  const Index L = prompts.length;
  const Index d = prompts.tokens.cols();
  Vector predictions(prompts.queries.rows());
  Eigen::MatrixXd gram(d, d);
  Vector product(d);
  for (Index p = 0; p < predictions.size(); ++p) {
    gram.setZero();
    gram.diagonal().setConstant(ridge);
    product.setZero();
    for (Index i = p * L; i < (p + 1) * L; ++i)
      for (Index j = 0; j < d; ++j) {
        product(j) += prompts.labels(i) * prompts.tokens(i, j);
        for (Index k = 0; k <= j; ++k)
          gram(j, k) += prompts.tokens(i, j) * prompts.tokens(i, k);
      }
    const Eigen::LLT<Eigen::MatrixXd> cholesky(gram);
    if (cholesky.info() != Eigen::Success)
      fail(ErrorCode::kOutOfRange, "ridge",
           "is " + show(ridge) + ", and the examples do not determine the task; raise it");
    predictions(p) = prompts.queries.row(p).dot(cholesky.solve(product));
  }
  return predictions;
}

}  // namespace attnlab::regression
