// Where a falling curve with error bars passes a level.
#pragma once

#include <span>

namespace attnlab::experiments {

struct Crossing {
  double place;  // NaN when the curve has not come down to the level
  double low;    // of the curve less two standard errors
  double high;   // of the curve plus two standard errors
};

// x ascending, y > 0; straight lines in log x and log y between the points. A curve that starts
// below the level crosses at its first x; the first crossing counts. Points whose y or error is not
// finite are left out.
Crossing crossing(std::span<const double> x, std::span<const double> y,
                  std::span<const double> error, double level);

}  // namespace attnlab::experiments
