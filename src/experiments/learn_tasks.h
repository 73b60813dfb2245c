// The tasks of mhla.learn: the solver, heads trained on moments, other models trained on tokens.
#pragma once

#include <cstdint>
#include <memory>

#include "experiments/run.h"
#include "mhla/head_training.h"
#include "mhla/linear_attention_data.h"
#include "mhla/sequence_model.h"
#include "mhla/sequence_training.h"

namespace attnlab::experiments {

struct LearnSetting {
  Index d, sequences, length;
  mhla::ScaleReading scale;
  mhla::Heads truth;    // one head, one output
  Matrix coefficients;  // of it
  mhla::HeadTrainingOptions training;
  mhla::SequenceTrainingOptions other;
  std::uint64_t seed = 0;
};

// Draws the head that makes the targets; the other fields are set.
void draw_truth(LearnSetting& setting);

// What the tasks of one run share: the data's moments, made by whichever comes first.
class LearnData;
std::shared_ptr<LearnData> make_learn_data();

// A record of the solver, by place.
enum SolverField : std::size_t {
  kTraining,
  kHeldOut,
  kVariance,
  kHeadCount,
  kSmallest,
  kMethod,
  kSolverFields
};

std::unique_ptr<Task> solver_task(std::shared_ptr<const LearnSetting> setting);
// Records of the trainings: the loss at the start and after each epoch.
std::unique_ptr<Task> head_task(std::shared_ptr<const LearnSetting> setting,
                                std::shared_ptr<LearnData> data, Index heads,
                                std::uint64_t replicate);
std::unique_ptr<Task> sequence_task(std::shared_ptr<const LearnSetting> setting,
                                    std::shared_ptr<const mhla::SequenceModel> model,
                                    std::uint64_t replicate);

}  // namespace attnlab::experiments
