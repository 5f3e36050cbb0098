// L-BFGS: Newton's method with a Hessian guessed from the last changes of the
// gradient. For few parameters and losses without noise.
//
//   sl::optim::LBFGS lbfgs({x}, {.strong_wolfe = true});
//   lbfgs.step([&] {
//     lbfgs.zero_grad();
//     sl::Tensor loss = f(x);
//     loss.backward();
//     return loss;
//   });
//
// How often the closure is called depends on the losses, so this is imperative
// only: neither in a graph nor in a function that is recorded. One group.
#pragma once

#include <deque>
#include <functional>

#include "sluice/optim/line_search.h"
#include "sluice/optim/optimizer_of.h"

namespace sluice::optim {

struct LBFGSOptions {
  static constexpr const char* kName = "LBFGS";
  double lr = 1;
  int64_t max_iter = 20;  // of one step()
  int64_t max_eval = 0;   // calls of the closure; 0: a quarter more
  // It stops where no part of the gradient, or of a change, is above these.
  double tolerance_grad = 1e-7, tolerance_change = 1e-9;
  int64_t history_size = 100;
  // Search for a length along each direction instead of taking lr.
  bool strong_wolfe = false;
  void Check() const;
};

class LBFGS : public OptimizerOf<LBFGSOptions> {
 public:
  using Closure = std::function<Tensor()>;

  explicit LBFGS(const Parameters& parameters, const LBFGSOptions& options = {},
                 Where where = Where::current());

  // Returns the first loss, as the closure gave it. Throws when the closure
  // gives no scalar.
  Tensor step(const Closure& closure, Where where = Where::current());

  // "direction", "gradient" and "lengths" of the last step, "changes" and
  // "gradient_changes" of the history, beside what all optimizers have.
  StateDict state_dict() const override;
  void load_state_dict(const StateDict& state,
                       Where where = Where::current()) override;

 private:
  struct Pair {
    Tensor change, gradient_change;
    double scale;  // 1 / <change, gradient_change>
  };

  void Update(Param& p, const Tensor& grad) override;
  Tensor Gather(bool gradients) const;
  void Scatter(const Tensor& flat) const;
  Point Evaluate(const Closure& closure, const Tensor& from,
                 const Tensor& direction, double t, const Where& where) const;
  void Remember(const Tensor& grad);
  Tensor Direction(const Tensor& grad) const;

  DType dtype_ = DType::kF32;
  int64_t size_ = 0;
  std::deque<Pair> history_;
  Tensor direction_, gradient_;  // of the last iteration
  double length_ = 0, curvature_ = 1;
};

}  // namespace sluice::optim
