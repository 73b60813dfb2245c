#include "needle/row_products.h"

#include <doctest/doctest.h>

#include <vector>

#include "core/random.h"

using namespace attnlab;
using namespace attnlab::needle;

namespace {

struct Drawn {
  Drawn(Index count, Index size, Index stride)
      : entries(draw(count * stride)),
        a(draw(size)),
        b(draw(size)),
        x(draw(count)),
        y(draw(count)),
        rows{entries.data(), count, size, stride} {}

  static std::vector<double> draw(Index size) {
    static RandomStream stream(211, 0);
    std::vector<double> numbers(static_cast<std::size_t>(size));
    stream.fill_gaussian(numbers);
    return numbers;
  }

  std::vector<double> entries, a, b, x, y;
  Rows rows;
};

// By four partial sums and then the rest, as the header says.
double product(const double* row, const std::vector<double>& vector) {
  double parts[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= vector.size(); i += 4)
    for (std::size_t j = 0; j < 4; ++j)
      parts[j] += row[i + j] * vector[i + j];
  double sum = (parts[0] + parts[1]) + (parts[2] + parts[3]);
  for (; i < vector.size(); ++i)
    sum += row[i] * vector[i];
  return sum;
}

}  // namespace

TEST_CASE("several rows at once have the bits of one row after the other") {
  for (Index count = 1; count <= 9; ++count) {
    for (Index size = 1; size <= 11; ++size) {
      const Drawn drawn(count, size, size + count % 3);
      std::vector<double> first(static_cast<std::size_t>(count)), second = first;
      two_products(drawn.rows, drawn.a.data(), drawn.b.data(), first.data(), second.data());
      std::vector<double> a = drawn.a, b = drawn.b, plain_a = a, plain_b = b;
      add_twice(drawn.rows, drawn.x.data(), drawn.y.data(), a.data(), b.data());
      for (Index l = 0; l < count; ++l) {
        const auto at = static_cast<std::size_t>(l);
        const double* row = drawn.rows.row(l);
        CHECK(first[at] == product(row, drawn.a));
        CHECK(second[at] == product(row, drawn.b));
        for (std::size_t i = 0; i < plain_a.size(); ++i) {
          plain_a[i] += drawn.x[at] * row[i];
          plain_b[i] += drawn.y[at] * row[i];
        }
      }
      CHECK(a == plain_a);
      CHECK(b == plain_b);
    }
  }
}
