#include "needle/row_products.h"

#include <array>

#include "core/simd.h"

namespace attnlab::needle {
namespace {

using simd::F64x2;

// Two products of each of kRows rows from row l on. Never inlined: engines that compile in tiers
// replace a function only between two calls.
template <std::size_t kRows>
__attribute__((noinline)) void products_of(const Rows& rows, Index l, const double* a,
                                           const double* b, double* first, double* second) {
  std::array<const double*, kRows> row;
  std::array<F64x2, kRows> first_low{}, first_high{}, second_low{}, second_high{};
  for (std::size_t r = 0; r < kRows; ++r)
    row[r] = rows.row(l + static_cast<Index>(r));
  Index i = 0;
  for (; i + 4 <= rows.size; i += 4) {
    const auto a_low = simd::load<F64x2>(a + i);
    const auto a_high = simd::load<F64x2>(a + i + 2);
    const auto b_low = simd::load<F64x2>(b + i);
    const auto b_high = simd::load<F64x2>(b + i + 2);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto low = simd::load<F64x2>(row[r] + i);
      const auto high = simd::load<F64x2>(row[r] + i + 2);
      first_low[r] = simd::multiply_add(low, a_low, first_low[r]);
      first_high[r] = simd::multiply_add(high, a_high, first_high[r]);
      second_low[r] = simd::multiply_add(low, b_low, second_low[r]);
      second_high[r] = simd::multiply_add(high, b_high, second_high[r]);
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    double sum_a = simd::sum(first_low[r]) + simd::sum(first_high[r]);
    double sum_b = simd::sum(second_low[r]) + simd::sum(second_high[r]);
    for (Index j = i; j < rows.size; ++j) {
      sum_a += row[r][j] * a[j];
      sum_b += row[r][j] * b[j];
    }
    first[l + static_cast<Index>(r)] = sum_a;
    second[l + static_cast<Index>(r)] = sum_b;
  }
}

template <std::size_t kRows>
__attribute__((noinline)) void add_rows(const Rows& rows, Index l, const double* x, const double* y,
                                        double* a, double* b) {
  std::array<const double*, kRows> row;
  std::array<F64x2, kRows> to_a, to_b;
  for (std::size_t r = 0; r < kRows; ++r) {
    row[r] = rows.row(l + static_cast<Index>(r));
    to_a[r] = simd::splat(x[l + static_cast<Index>(r)]);
    to_b[r] = simd::splat(y[l + static_cast<Index>(r)]);
  }
  Index i = 0;
  for (; i + 2 <= rows.size; i += 2) {
    auto sum_a = simd::load<F64x2>(a + i);
    auto sum_b = simd::load<F64x2>(b + i);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto entries = simd::load<F64x2>(row[r] + i);
      sum_a = simd::multiply_add(to_a[r], entries, sum_a);
      sum_b = simd::multiply_add(to_b[r], entries, sum_b);
    }
    simd::store(a + i, sum_a);
    simd::store(b + i, sum_b);
  }
  for (; i < rows.size; ++i) {
    for (std::size_t r = 0; r < kRows; ++r) {
      a[i] += to_a[r][0] * row[r][i];
      b[i] += to_b[r][0] * row[r][i];
    }
  }
}

}  // namespace

void two_products(const Rows& rows, const double* a, const double* b, double* first,
                  double* second) {
  Index l = 0;
  for (; l + 2 <= rows.count; l += 2)
    products_of<2>(rows, l, a, b, first, second);
  if (l < rows.count) products_of<1>(rows, l, a, b, first, second);
}

void add_twice(const Rows& rows, const double* x, const double* y, double* a, double* b) {
  Index l = 0;
  for (; l + 4 <= rows.count; l += 4)
    add_rows<4>(rows, l, x, y, a, b);
  for (; l < rows.count; ++l)
    add_rows<1>(rows, l, x, y, a, b);
}

}  // namespace attnlab::needle
