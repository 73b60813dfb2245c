#include "mhla/sequence_model.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "mhla/head_vector.h"
#include "mhla/random_data.h"
#include "mhla/sequence_training.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

// The gradient against central differences, in random directions and in single coordinates.
void check_gradient(const SequenceModel& model, Index d, Index outputs) {
  RandomStream random(1, 1);
  const Vector x = model.initial(random);
  const Matrix tokens = random.gaussian_matrix(6, d);
  const Matrix targets = random.gaussian_matrix(6, outputs);
  Vector gradient = Vector::Zero(x.size());
  model.loss(x, tokens, targets, 0.7, &gradient);
  for (int trial = 0; trial < 40; ++trial) {
    Vector direction = random.gaussian_vector(x.size());
    if (trial % 2 == 0) {
      direction.setZero();
      direction(static_cast<Index>(random.below(static_cast<std::uint64_t>(x.size())))) = 1;
    }
    const double h = 1e-5;
    const double up = model.loss(x + h * direction, tokens, targets, 1, nullptr);
    const double down = model.loss(x - h * direction, tokens, targets, 1, nullptr);
    CHECK(tests::close(gradient.dot(direction), 0.7 * (up - down) / (2 * h), 1e-5, 1e-6));
  }
}

}  // namespace

TEST_CASE("a stack of linear attention has the gradient of its differences") {
  check_gradient(*linear_stack(1, 3, 3, 2), 3, 2);
  check_gradient(*linear_stack(3, 2, 2, 1), 2, 1);
}

TEST_CASE("the small transformer has the gradient of its differences") {
  check_gradient(*small_transformer(1, 1, 4, 2, 1), 2, 1);
  check_gradient(*small_transformer(2, 2, 4, 3, 2), 3, 2);
}

TEST_CASE("one layer of the stack is the paper's model on every prefix") {
  const Heads heads = tests::gaussian_heads(2, 1, 3, 3);
  const Prompts prompts = tests::gaussian_prompts(1, 8, 3, 4);
  const Matrix outputs = apply(heads, prompts.prompt(0), OutputMode::kPrefix);
  const auto model = linear_stack(1, 2, 3, 1);
  CHECK(model->loss(pack(heads), prompts.prompt(0), outputs, 1, nullptr) < 1e-26);
}

TEST_CASE("no output looks ahead") {
  RandomStream random(5, 5);
  const Matrix tokens = random.gaussian_matrix(7, 2);
  Matrix changed = tokens;
  changed.row(6).setConstant(3);
  // Targets that count at all tokens but the last: the loss there cannot move.
  for (const auto& model : {small_transformer(2, 2, 8, 2, 1), linear_stack(2, 2, 2, 1)}) {
    const Vector x = model->initial(random);
    const Matrix zero = Matrix::Zero(6, 1);
    const double before = model->loss(x, tokens.topRows(6), zero, 1, nullptr);
    const double after = model->loss(x, changed.topRows(6), zero, 1, nullptr);
    CHECK(before == after);
    Matrix last = Matrix::Zero(7, 1);
    const double whole = model->loss(x, tokens, last, 1, nullptr) * 7 - before * 6;
    const double moved = model->loss(x, changed, last, 1, nullptr) * 7 - before * 6;
    CHECK(whole != moved);
    CHECK(whole >= -1e-12);
  }
}

TEST_CASE("training lowers the loss of both baselines and repeats to the bit") {
  const auto prompts = std::make_shared<const Prompts>(tests::gaussian_prompts(24, 6, 2, 6));
  auto targets = std::make_shared<Matrix>(prompts->tokens.rows(), 1);
  const Heads truth = tests::gaussian_heads(1, 1, 2, 7);
  for (Index i = 0; i < 24; ++i)
    targets->middleRows(6 * i, 6) = apply(truth, prompts->prompt(i), OutputMode::kPrefix);
  for (const bool softmax : {false, true}) {
    const std::shared_ptr<const SequenceModel> model =
        softmax ? small_transformer(1, 1, 8, 2, 1) : linear_stack(2, 2, 2, 1);
    SequenceTrainingOptions options;
    options.epochs = 40;
    options.batch = 10;
    options.adamw.rate = 0.01;
    const auto run = [&] {
      SequenceTraining training(model, prompts, targets, options, 1, 0);
      while (!training.step()) {
      }
      CHECK(training.steps() == 120);  // batches of 10, 10 and 4
      return training.losses();
    };
    const std::vector<double> losses = run();
    CHECK(losses.size() == 41);
    CHECK(losses.back() < 0.5 * losses.front());
    CHECK(losses == run());
  }
}
