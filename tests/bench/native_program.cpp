// work.h for another process: reads "NAME N D REPEATS" line by line, does the work that often, and
// answers with the processor's milliseconds each took. "NAME N D 0" answers with the sum of the
// result, so that two programs can be compared.
#include <ctime>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>

#include "work.h"

int main() {
  std::map<std::tuple<std::string, int, int>, std::unique_ptr<attnlab::bench::Work>> works;
  std::string name;
  int n = 0, d = 0, repeats = 0;
  std::cout.precision(17);
  while (std::cin >> name >> n >> d >> repeats) {
    auto& work = works[{name, n, d}];
    if (!work) {
      work = attnlab::bench::make_work(name, n, d);
      work->run();
    }
    if (repeats == 0) {
      const auto result = work->result();
      std::cout << std::accumulate(result.begin(), result.end(), 0.0) << std::endl;
      continue;
    }
    const std::clock_t start = std::clock();
    for (int i = 0; i < repeats; ++i)
      work->run();
    const auto ticks = static_cast<double>(std::clock() - start);
    std::cout << 1000 * ticks / CLOCKS_PER_SEC / repeats << std::endl;
  }
}
