// Models that read a sequence causally and answer at every token, with their gradients: the
// baselines of section 4.1 of arXiv 2410.10101. Plain code for small sizes; for the solver's own
// one-layer model head_training.h is far faster.
#pragma once

#include <memory>

#include "core/random.h"
#include "core/types.h"

namespace attnlab::mhla {

class SequenceModel {
 public:
  virtual ~SequenceModel() = default;
  virtual Index parameter_count() const = 0;
  virtual Vector initial(RandomStream& stream) const = 0;
  // tokens: n x d, targets: n x d_out. Mean over the tokens of |output - target|^2; adds its
  // gradient, times `weight`, to `gradient` unless that is null.
  virtual double loss(const Vector& parameters, const MatrixRef& tokens, const MatrixRef& targets,
                      double weight, Vector* gradient) const = 0;
};

// `layers` layers of causal linear attention with `heads` heads. Layers but the last have
// d outputs and a residual connection; the last is the paper's own model (Definition 2.1), so one
// layer is exactly it. Cost of a sequence 12 layers heads n d^2.
std::unique_ptr<SequenceModel> linear_stack(Index layers, Index heads, Index d, Index outputs);

// The paper's "full" transformer, small: tokens embedded into `width` coordinates; `layers` times
// x += attention(norm(x)), x += mlp(norm(x)), with causal softmax attention of `heads` heads
// (scale 1 / sqrt(width / heads)), layer normalisation without parameters, and an MLP of
// 4 width rectified hidden units; then norm and a linear read-out. No
// positions: neither has the data. Memory O(n width) a layer: softmax rows are formed anew in the
// backward pass. heads divides width.
std::unique_ptr<SequenceModel> small_transformer(Index layers, Index heads, Index width, Index d,
                                                 Index outputs);

}  // namespace attnlab::mhla
