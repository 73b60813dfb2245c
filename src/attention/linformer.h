// Softmax attention over few projected keys (Linformer, arXiv 2006.04768), with projections that
// are not trained: keys and values are first brought from n rows to r.
#pragma once

#include "core/types.h"

namespace attnlab::attention {

enum class LinformerProjection {
  kPool,   // the mean of each of r runs of consecutive tokens
  kRandom  // E with independent N(0, 1 / r) entries, the same for keys and values
};

// queries m x d, keys n x d, values n x p, 1 <= r <= n for kPool. The random projection is a pure
// function of the seed. Cost n r (d + p) (kPool: n (d + p)) and m r (d + p); memory r (d + p).
// Pooling is exact when the tokens of a run are equal; on independent tokens it forgets what single
// tokens say. The random projection does not keep constant values constant.
Matrix linformer_attention(const MatrixRef& queries, const MatrixRef& keys, const MatrixRef& values,
                           double scale, Index rank, LinformerProjection projection,
                           std::uint64_t seed);

}  // namespace attnlab::attention
