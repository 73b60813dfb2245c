// Smallest value of a function of one or two numbers, without derivatives. For smooth functions
// that cost little; deterministic.
#pragma once

#include <functional>

namespace attnlab::needle {

struct ScalarMinimum {
  double argument = 0;
  double value = 0;
};

// A grid of `points` over [lower, upper], then Brent's method between the neighbours of its
// smallest value, to the given width. Finds the global minimum where the grid separates the local
// ones. Ask and tell, one value at a time:
//   ScalarSearch search(...); while (search.running()) search.tell(f(search.argument()));
class ScalarSearch {
 public:
  ScalarSearch(double lower, double upper, int points, double width);

  bool running() const { return running_; }
  double argument() const { return trial_; }
  void tell(double value);
  ScalarMinimum best() const { return {best_, best_value_}; }
  // The grid is known beforehand; what follows it is a guess.
  double progress() const;

 private:
  void tell_grid(double value);
  void tell_brent(double value);
  void next_trial();

  double lower_, spacing_, width_;
  int points_, told_ = 0, best_at_ = 0;
  double low_ = 0, high_ = 0;  // the bracket
  double best_ = 0, second_ = 0, third_ = 0;
  double best_value_ = 0, second_value_ = 0, third_value_ = 0;
  double step_ = 0, earlier_ = 0, trial_ = 0;
  bool running_ = true;
};

ScalarMinimum minimise_scalar(const std::function<double(double)>& function, double lower,
                              double upper, int points, double width);

}  // namespace attnlab::needle
