// A data set drawn whole, for tests.
#pragma once

#include "needle/sampler.h"

namespace attnlab::needle {

inline DataSet draw_data_set(const Problem& problem, const Teacher& teacher, Index samples,
                             RandomStream& random) {
  const Index dimension = teacher.key.size();
  const double ratio = static_cast<double>(samples) / static_cast<double>(dimension);
  DataSet data = plan_data_set(problem, ratio, dimension);
  while (!draw_more(data, problem, teacher, random)) {
  }
  return data;
}

}  // namespace attnlab::needle
