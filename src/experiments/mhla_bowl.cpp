// mhla.bowl: why least squares succeeds where a single head may not: the convex bowl over all W and
// the two lines of rank one within the plane of diagonal W.
//
// The smallest picture that has both: W is 2 x 2, its features X are jointly Gaussian, the diagonal
// ones of variance 1 and correlation rho, the others of variance gamma and independent, so
//     L(W) = w^T ((1, rho), (rho, 1)) w + gamma (W_12^2 + W_21^2),  w = diag(W) - diag(W*).
// Over W this is a bowl. One head makes W = v q^T, and in the plane of diagonal W that leaves the
// two axes (derived): on the first one the best point is W*_11 + rho W*_22.
#include "experiments/mhla_bowl.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"

namespace attnlab::experiments {
namespace {

constexpr int kGrid = 41;
constexpr Index kShown = 160;

struct Bowl {
  double best1, best2, correlation, gamma;

  double loss(const Matrix& w) const {
    const double a = w(0, 0) - best1, b = w(1, 1) - best2;
    return a * a + 2 * correlation * a * b + b * b +
           gamma * (w(0, 1) * w(0, 1) + w(1, 0) * w(1, 0));
  }
  Matrix slope(const Matrix& w) const {
    const double a = w(0, 0) - best1, b = w(1, 1) - best2;
    Matrix g(2, 2);
    g << 2 * (a + correlation * b), 2 * gamma * w(0, 1), 2 * gamma * w(1, 0),
        2 * (b + correlation * a);
    return g;
  }
};

// Gradient descent on heads W = sum_h v_h q_h^T. Record: W_11, W_22, loss, a row a step.
class DescentTask final : public Task {
 public:
  DescentTask(const Bowl& bowl, Index heads, double x, double y, double rate, Index steps)
      : bowl_(bowl), value_(Matrix::Zero(2, heads)), query_(value_), rate_(rate), steps_(steps) {
    // One head: v_j = root |start_j|, so that W has the start on its diagonal. Two: each takes one
    // coordinate. Further heads are small.
    const double start[2] = {x, y};
    for (Index j = 0; j < 2; ++j)
      for (Index h = 0; h < heads; ++h) {
        const double root = std::sqrt(std::fabs(start[j]));
        const double size = heads == 1 || h == j ? root : 0.02 * static_cast<double>(h - j);
        // Not quite balanced: |v|^2 - |q|^2 is conserved, and at 0 an entry could never change
        // sign.
        value_(j, h) = 1.1 * size;
        query_(j, h) = (start[j] < 0 ? -size : size) / 1.1;
      }
    note();
  }

  bool step() override {
    for (int i = 0; i < 2000 && done_ < steps_ && !diverged_; ++i) {
      const Matrix slope = bowl_.slope(value_ * query_.transpose());
      const Matrix value_slope = slope * query_;
      const Matrix query_slope = slope.transpose() * value_;
      value_ -= rate_ * value_slope;
      query_ -= rate_ * query_slope;
      ++done_;
      if (!(bowl_.loss(value_ * query_.transpose()) < 1e12)) {
        diverged_ = true;
        break;
      }
      note();
    }
    return diverged_ || done_ >= steps_;
  }
  double progress() const override {
    return static_cast<double>(done_) / static_cast<double>(steps_);
  }
  Record record() const override { return record_; }
  std::optional<std::int64_t> diverged_at() const override {
    if (!diverged_) return std::nullopt;
    return done_;
  }

 private:
  void note() {
    const Matrix w = value_ * query_.transpose();
    record_.push_back(w(0, 0));
    record_.push_back(w(1, 1));
    record_.push_back(bowl_.loss(w));
  }

  Bowl bowl_;
  Matrix value_, query_;
  double rate_;
  Index steps_, done_ = 0;
  bool diverged_ = false;
  Record record_;
};

class BowlPlan final : public Plan {
 public:
  explicit BowlPlan(const Values& values)
      : bowl_{number(values, "bestFirst"), number(values, "bestSecond"),
              number(values, "correlation"), number(values, "offDiagonal")},
        x_(number(values, "startFirst")),
        y_(number(values, "startSecond")),
        rate_(number(values, "rate")),
        steps_(count(values, "steps")),
        heads_(numbers(values, "heads")) {
    for (const double heads : heads_)
      if (heads != std::floor(heads))
        fail(ErrorCode::kNotInteger, "heads", "has the entry " + show(heads));
  }

  std::size_t task_count() const override { return heads_.size(); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return std::make_unique<DescentTask>(bowl_, static_cast<Index>(heads_[number]), x_, y_, rate_,
                                         steps_);
  }

  Tables summarise(std::span<const Record> records) const override {
    TableRows surface(mhla_bowl_descriptor(), "surface"), paths(mhla_bowl_descriptor(), "paths"),
        losses(mhla_bowl_descriptor(), "losses"), points(mhla_bowl_descriptor(), "points"),
        straight(mhla_bowl_descriptor(), "straight"), axes(mhla_bowl_descriptor(), "axes"),
        summary(mhla_bowl_descriptor(), "summary");
    for (int i = 0; i < kGrid; ++i)
      for (int j = 0; j < kGrid; ++j) {
        Matrix w = Matrix::Zero(2, 2);
        w(0, 0) = -kBowlReach + 2 * kBowlReach * i / (kGrid - 1);
        w(1, 1) = -kBowlReach + 2 * kBowlReach * j / (kGrid - 1);
        surface.add({w(0, 0), w(1, 1), std::sqrt(bowl_.loss(w))});
      }
    const double first = bowl_.best1 + bowl_.correlation * bowl_.best2;
    const double second = bowl_.best2 + bowl_.correlation * bowl_.best1;
    const double left = 1 - bowl_.correlation * bowl_.correlation;
    const double first_loss = left * bowl_.best2 * bowl_.best2;
    const double second_loss = left * bowl_.best1 * bowl_.best1;
    points.add({"least squares", bowl_.best1, bowl_.best2, 0.0});
    points.add({"best on the first axis", first, 0.0, first_loss});
    points.add({"best on the second axis", 0.0, second, second_loss});
    points.add({"start", x_, y_, start_loss()});
    straight.add({x_, y_, bowl_.best1, bowl_.best2});
    axes.add({"first axis", -kBowlReach, 0.0});
    axes.add({"first axis", kBowlReach, 0.0});
    axes.add({"second axis", 0.0, -kBowlReach});
    axes.add({"second axis", 0.0, kBowlReach});
    double one_head = std::numeric_limits<double>::quiet_NaN(), most_heads = one_head;
    for (std::size_t c = 0; c < heads_.size(); ++c) {
      const Record& record = records[c];
      const std::string name = show(heads_[c]) + (heads_[c] == 1 ? " head" : " heads");
      const auto rows = static_cast<Index>(record.size() / 3);
      const Index stride = std::max<Index>(1, (steps_ + kShown - 1) / kShown);
      for (Index r = 0; r < rows; r += stride) {
        const double* at = record.data() + 3 * r;
        paths.add({name, static_cast<double>(r), at[0], at[1]});
        losses.add({name, static_cast<double>(r), at[2]});
      }
      if (rows == 0) continue;
      (heads_[c] == 1 ? one_head : most_heads) = record.back();
    }
    summary.add({one_head, most_heads, std::min(first_loss, second_loss),
                 std::max(first_loss, second_loss), first, second});
    return {surface.take(),  paths.take(), losses.take(), points.take(),
            straight.take(), axes.take(),  summary.take()};
  }

 private:
  double start_loss() const {
    Matrix w = Matrix::Zero(2, 2);
    w(0, 0) = x_;
    w(1, 1) = y_;
    return bowl_.loss(w);
  }

  Bowl bowl_;
  double x_, y_, rate_;
  Index steps_;
  std::vector<double> heads_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t) {
  return std::make_unique<BowlPlan>(values);
}

const Registration kRegistration(kMhlaBowl, mhla_bowl_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments
