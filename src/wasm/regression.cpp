// regression/ for JavaScript.
#include <emscripten/bind.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/require.h"
#include "core/result.h"
#include "regression/infinite_prompt.h"
#include "wasm/boundary.h"
#include "wasm/long_call.h"

namespace attnlab::wasm {
namespace {

regression::Head read_head(const val& request) {
  return {read_matrix(request["A"], "A"), read_number(request, "b")};
}

val write_head(const Matrix& A, double b) {
  val result = val::object();
  result.set("A", write_matrix(A));
  result.set("b", b);
  return result;
}

val infinite_prompt(const val& request) {
  return guarded([&] {
    const auto found = regression::infinite_prompt(read_matrix(request["covariance"], "covariance"),
                                                   read_head(request));
    require_result(found.loss, "A");
    require_result(found.A, "A");
    require_result(found.b, "A");
    val result = val::object();
    result.set("loss", found.loss);
    result.set("gradient", write_head(found.A, found.b));
    return result;
  });
}

// Each time goes on from the state before it.
class FlowCall final : public LongCall {
 public:
  FlowCall(Matrix covariance, regression::Head start, std::vector<double> times)
      : covariance_(std::move(covariance)), head_(std::move(start)), times_(std::move(times)) {
    regression::infinite_prompt(covariance_, head_);  // checks shapes and values
    double last = 0;
    for (const double time : times_) {
      require_finite(time, "times");
      if (time < last)
        fail(ErrorCode::kOutOfRange, "times", "are not ascending from 0 at " + show(time));
      last = time;
    }
  }

  bool step() override {
    if (done_ == times_.size()) return true;
    if (!flow_) flow_.emplace(covariance_, head_, times_[done_] - now_);
    if (!flow_->advance(kStepsAtOnce)) return false;
    head_ = flow_->head();
    flow_.reset();
    now_ = times_[done_];
    const auto found = regression::infinite_prompt(covariance_, head_);
    require_result(found.loss, "A");
    val state = write_head(head_.A, head_.b);
    state.set("time", now_);
    state.set("loss", found.loss);
    states_.call<void>("push", state);
    return ++done_ == times_.size();
  }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(times_.size());
  }
  val result() override { return states_; }

 private:
  static constexpr int kStepsAtOnce = 16;

  Matrix covariance_;
  regression::Head head_;
  std::vector<double> times_;
  std::optional<regression::InfiniteFlow> flow_;  // to the next time
  std::size_t done_ = 0;
  double now_ = 0;
  val states_ = val::array();
};

std::unique_ptr<LongCall> begin_flow(const val& request) {
  return std::make_unique<FlowCall>(read_matrix(request["covariance"], "covariance"),
                                    read_head(request), read_numbers(request["times"]));
}

const LongCallRegistration flow_registration("regressionFlow", &begin_flow);

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_regression) {
  emscripten::function("regressionInfinitePrompt", &infinite_prompt);
}

}  // namespace attnlab::wasm
