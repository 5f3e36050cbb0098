// Differential equations dy/dt = f(t, y) solved with a step that adapts itself,
// as one loop that gradients go through: Bogacki and Shampine's pair of orders
// 3 and 2. A step whose two answers differ too much is thrown away and tried
// again, smaller; one that is good enough is kept, and the next is larger.
//
//   auto end = odeint([&](auto t, auto y) { return -y; }, y0, 0, 1);
//
// Plain functions of tensors: at once, captured or in a graph.
#pragma once

#include <sluice/sluice.h>

namespace sluice::loops {

using Dynamics = std::function<Tensor(const Tensor& t, const Tensor& y)>;

struct OdeOptions {
  // What one step may be wrong by: absolute + relative |y|, on the average.
  double absolute = 1e-6, relative = 1e-4;
  double first_step = 0.1;
  int64_t max_tries = 10000;
};

struct OdeResult {
  Tensor y;             // at the end
  Tensor steps, tries;  // i64: those kept, and all
  Tensor left;          // time not yet covered: 0, unless max_tries was reached
};

// What a step gives: y after it, the slope there, and how much it is wrong in
// parts of what is allowed.
struct OdeTry {
  Tensor y, slope, error;
};
inline OdeTry try_step(const Dynamics& f, const Tensor& t, const Tensor& y,
                       const Tensor& slope, const Tensor& h,
                       const OdeOptions& options) {
  Tensor k2 = f(t + h / 2, y + h * slope / 2);
  Tensor k3 = f(t + 0.75 * h, y + 0.75 * h * k2);
  Tensor y3 = y + h / 9 * (2 * slope + 3 * k2 + 4 * k3);
  Tensor k4 = f(t + h, y3);
  // The difference from the answer of order 2.
  Tensor off = h / 72 * (-5 * slope + 6 * k2 + 8 * k3 - 9 * k4);
  Tensor allowed =
      options.absolute + options.relative * maximum(abs(y), abs(y3));
  // The small number keeps the slope of the root finite where nothing is off.
  return {y3, k4, sqrt(mean(square(off / allowed)) + 1e-12)};
}

// y at t1, from y0 at t0. All of y shares its steps.
inline OdeResult odeint(const Dynamics& f, const Tensor& y0, double t0,
                        double t1, const OdeOptions& options = {}) {
  DType dtype = y0.dtype();
  auto [left, h, y, slope, steps, tries] = while_loop(
      [](Tensor left, Tensor, Tensor, Tensor, Tensor, Tensor) {
        return left > 0;
      },
      [&](Tensor left, Tensor wish, Tensor y, Tensor slope, Tensor steps,
          Tensor tries) {
        Tensor h = minimum(wish, left);
        OdeTry next = try_step(f, t1 - left, y, slope, h, options);
        // Kept or thrown away: the branch that is taken is the one whose
        // gradient there is.
        auto [left2, y2, slope2, steps2] = cond(
            next.error <= 1,
            [&] { return std::tuple(left - h, next.y, next.slope, steps + 1); },
            [&] { return std::tuple(left, y, slope, steps); });
        Tensor change = clip(0.9 * pow(next.error, -1.0 / 3), 0.2, 5);
        return std::tuple(left2, h * change, y2, slope2, steps2, tries + 1);
      },
      constant(t1 - t0, dtype), constant(options.first_step, dtype), y0,
      f(constant(t0, dtype), y0), int64_t{0}, int64_t{0},
      {.maximum_iterations = options.max_tries});
  return {y, steps, tries, left};
}

}  // namespace sluice::loops
