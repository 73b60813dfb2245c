// The second moments of MHLA features, two ways.
#pragma once

#include "work.h"

namespace attnlab::bench {

// FeatureMoments: the product's own way, features formed on the fly.
std::unique_ptr<Work> make_gram(int samples, int dimension);
// Features written out block by block and given to Eigen's rankUpdate.
std::unique_ptr<Work> make_eigen_gram(int samples, int dimension);

}  // namespace attnlab::bench
