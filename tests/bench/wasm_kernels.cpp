// work.h for JavaScript, by plain C calls: what is measured is the kernel and not a binding.
#include <emscripten.h>

#include <map>
#include <vector>

#include "work.h"

namespace {

struct Opened {
  std::unique_ptr<attnlab::bench::Work> work;
  std::vector<std::vector<double>> inputs;
  std::vector<double> result;
};

std::map<int, Opened>& all() {
  static std::map<int, Opened> opened;
  return opened;
}

}  // namespace

extern "C" {

// The number of a work, by which the calls below know it.
EMSCRIPTEN_KEEPALIVE int bench_open(const char* name, int n, int d) {
  static int last = 0;
  Opened& opened = all()[++last];
  opened.work = attnlab::bench::make_work(name, n, d);
  opened.inputs = opened.work->inputs();
  return last;
}
EMSCRIPTEN_KEEPALIVE void bench_run(int number) {
  all()[number].work->run();
}
EMSCRIPTEN_KEEPALIVE void bench_close(int number) {
  all().erase(number);
}
EMSCRIPTEN_KEEPALIVE const double* bench_result(int number) {
  Opened& opened = all()[number];
  opened.result = opened.work->result();
  return opened.result.data();
}
EMSCRIPTEN_KEEPALIVE int bench_result_size(int number) {
  return static_cast<int>(all()[number].result.size());
}
EMSCRIPTEN_KEEPALIVE const double* bench_input(int number, int which) {
  return all()[number].inputs[static_cast<std::size_t>(which)].data();
}
EMSCRIPTEN_KEEPALIVE int bench_input_size(int number, int which) {
  return static_cast<int>(all()[number].inputs[static_cast<std::size_t>(which)].size());
}

}  // extern "C"
