#include "core/magnitude.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/simd.h"

namespace attnlab {
namespace {

template <class Scalar>
struct Scan {
  using Pack = simd::Pack<Scalar>;
  static constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;

  Pack largest{};
  Pack none{};  // 0 as long as all is finite, then NaN: Infinity and NaN times 0 are NaN

  void take(Pack entries) {
    largest = simd::max(largest, simd::magnitude(entries));
    none = none + entries * Scalar{0};
  }
};

// One run of entries that follow each other.
template <class Scalar>
__attribute__((noinline)) void scan(const Scalar* entries, Index size, Scan<Scalar>& result) {
  using Pack = simd::Pack<Scalar>;
  constexpr Index kLanes = Scan<Scalar>::kLanes;
  Scan<Scalar> even = result, odd;
  Index i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    even.take(simd::load<Pack>(entries + i));
    odd.take(simd::load<Pack>(entries + i + kLanes));
  }
  for (; i < size; ++i)
    even.take(simd::splat(entries[i]));
  result.largest = simd::max(even.largest, odd.largest);
  result.none = even.none + odd.none;
}

// Engines that compile in tiers replace a function only between two calls.
constexpr Index kRun = 4096;

}  // namespace

template <class Scalar>
Scalar largest_magnitude(const MatrixRefOf<Scalar>& matrix) {
  Scan<Scalar> result;
  const bool one_run = matrix.outerStride() == matrix.cols();
  const Index runs = one_run ? 1 : matrix.rows();
  const Index size = one_run ? matrix.size() : matrix.cols();
  for (Index run = 0; run < runs; ++run) {
    const Scalar* entries = matrix.data() + run * matrix.outerStride();
    for (Index first = 0; first < size; first += kRun)
      scan(entries + first, std::min(kRun, size - first), result);
  }
  const bool finite = simd::sum(result.none) == 0;
  return finite ? simd::largest(result.largest) : std::numeric_limits<Scalar>::quiet_NaN();
}

template <class Scalar>
std::vector<Scalar> largest_magnitudes_by_column(const MatrixRefOf<Scalar>& matrix) {
  using Pack = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  std::vector<Scalar> largest(static_cast<std::size_t>(matrix.cols()), Scalar{0});
  const Index whole = matrix.cols() / kLanes * kLanes;
  for (Index i = 0; i < matrix.rows(); ++i) {
    const Scalar* row = matrix.data() + i * matrix.outerStride();
    for (Index j = 0; j < whole; j += kLanes) {
      Scalar* to = largest.data() + j;
      const Pack entries = simd::magnitude(simd::load<Pack>(row + j));
      simd::store(to, simd::max(simd::load<Pack>(to), entries));
    }
    for (Index j = whole; j < matrix.cols(); ++j) {
      Scalar& to = largest[static_cast<std::size_t>(j)];
      to = std::max(to, std::abs(row[j]));
    }
  }
  return largest;
}

template float largest_magnitude<float>(const MatrixRefOf<float>&);
template double largest_magnitude<double>(const MatrixRef&);
template std::vector<float> largest_magnitudes_by_column<float>(const MatrixRefOf<float>&);
template std::vector<double> largest_magnitudes_by_column<double>(const MatrixRef&);

}  // namespace attnlab
