#include "mhla/head_training.h"

#include <doctest/doctest.h>
#include <cmath>

#include "core/error.h"
#include "mhla/features.h"
#include "mhla/parameters.h"
#include "mhla/random_data.h"
#include "mhla/sequence_model.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("the moments of sequences give the loss that the tokens give") {
  for (const Reading reading : {Reading::kLast, Reading::kPrefix}) {
    const Prompts prompts = tests::gaussian_prompts(9, 5, 3, 1);
    const auto data = std::make_shared<const SequenceMoments>(sequence_moments(prompts, reading));
    const Heads truth = tests::gaussian_heads(1, 2, 3, 2);
    const Heads start = tests::gaussian_heads(3, 2, 3, 3);
    double expected = 0;
    for (Index i = 0; i < 9; ++i) {
      const OutputMode mode = reading == Reading::kLast ? OutputMode::kLast : OutputMode::kPrefix;
      expected += (apply(start, prompts.prompt(i), mode) - apply(truth, prompts.prompt(i), mode))
                      .squaredNorm();
    }
    expected /= static_cast<double>(9 * data->samples_each);
    HeadTraining training(data, coefficients(truth), {3, 2, 3}, pack(start), {}, 1, 1);
    CHECK(tests::close(training.losses()[0], expected, 1e-12, 0));
  }
}

TEST_CASE("a full-batch step is AdamW on the token loss") {
  const Prompts prompts = tests::gaussian_prompts(6, 4, 2, 4);
  const auto data =
      std::make_shared<const SequenceMoments>(sequence_moments(prompts, Reading::kPrefix));
  const Heads truth = tests::gaussian_heads(1, 1, 2, 5);
  const Vector start = pack(tests::gaussian_heads(2, 1, 2, 6));
  HeadTrainingOptions options;
  options.epochs = 3;
  options.batch = 6;
  HeadTraining training(data, coefficients(truth), {2, 1, 2}, start, options, 1, 1);
  while (!training.step()) {
  }
  optimize::AdamW search(start, options.adamw);
  const auto model = linear_stack(1, 2, 2, 1);
  for (int epoch = 0; epoch < 3; ++epoch) {
    Vector gradient = Vector::Zero(start.size());
    for (Index i = 0; i < 6; ++i)
      model->loss(search.point(), prompts.prompt(i),
                  apply(truth, prompts.prompt(i), OutputMode::kPrefix), 1.0 / 6, &gradient);
    search.step(gradient);
  }
  CHECK(tests::largest_difference(pack(training.heads()), search.point()) < 1e-10);
}

TEST_CASE("training reaches rounding level without weight decay and a floor with it") {
  const Prompts prompts = tests::gaussian_prompts(128, 5, 2, 7);
  const auto data =
      std::make_shared<const SequenceMoments>(sequence_moments(prompts, Reading::kLast));
  const Matrix truth = coefficients(tests::gaussian_heads(1, 1, 2, 8));
  const auto final_loss = [&](double decay) {
    HeadTrainingOptions options;
    options.adamw.weight_decay = decay;
    options.schedule = optimize::Schedule::kCosine;
    options.epochs = 600;
    RandomStream random(9, 9);
    const HeadShape shape{8, 1, 2};
    HeadTraining training(data, truth, shape, random_head_vector(shape, 0.7, random), options, 1,
                          1);
    while (!training.step()) {
    }
    CHECK(training.losses().size() == 601);
    return training.losses().back();
  };
  CHECK(final_loss(0) < 1e-20);
  CHECK(final_loss(0.01) > 1e-12);
}

TEST_CASE("a rate far too large is told as divergence, and the losses stay finite") {
  const Prompts prompts = tests::gaussian_prompts(16, 4, 2, 10);
  const auto data =
      std::make_shared<const SequenceMoments>(sequence_moments(prompts, Reading::kLast));
  HeadTrainingOptions options;
  options.adamw.rate = 1e200;
  HeadTraining training(data, coefficients(tests::gaussian_heads(1, 1, 2, 11)), {1, 1, 2},
                        Vector::Ones(6), options, 1, 1);
  while (!training.step()) {
  }
  CHECK(training.diverged());
  for (const double loss : training.losses())
    CHECK(std::isfinite(loss));
}
