// One piece of work under valgrind, which counts inside run_counted alone: counted_program NAME N
// D.
#include <cstdlib>

#include "work.h"

extern "C" __attribute__((noinline)) void run_counted(attnlab::bench::Work* work) {
  work->run();
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const auto work = attnlab::bench::make_work(words[1], std::atoi(words[2]), std::atoi(words[3]));
  run_counted(work.get());
  return 0;
}
