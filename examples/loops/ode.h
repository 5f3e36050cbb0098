// Differential equations dy/dt = f(t, y) solved with a step that adapts itself,
// as one loop that gradients go through: Bogacki and Shampine's pair of orders
// 3 and 2. A step whose two answers differ too much is thrown away and tried
// again, smaller; one that is good enough is kept, and the next is larger.
//
//   auto y = odeint([&](auto t, auto y) { return -y; }, y0, 0, 1).y;
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

// Where the solver is.
struct OdePoint {
  Tensor left;      // time still to go
  Tensor y, slope;  // there
  Tensor step;      // the next to try
  Tensor steps, tries;
};

// One step, kept if it is good enough.
inline OdePoint ode_step(const Dynamics& f, const OdePoint& at, double t1,
                         const OdeOptions& options) {
  Tensor h = minimum(at.step, at.left), t = t1 - at.left;
  Tensor k1 = at.slope;
  Tensor k2 = f(t + h / 2, at.y + h / 2 * k1);
  Tensor k3 = f(t + 0.75 * h, at.y + 0.75 * h * k2);
  Tensor y = at.y + h / 9 * (2 * k1 + 3 * k2 + 4 * k3);
  Tensor k4 = f(t + h, y);
  // What the answer of order 2 differs by, in parts of what is allowed.
  Tensor off = h / 72 * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * k4);
  Tensor allowed =
      options.absolute + options.relative * maximum(abs(at.y), abs(y));
  // The small number keeps the slope of the root finite where nothing is off.
  Tensor error = sqrt(mean(square(off / allowed)) + 1e-12);
  Tensor next = h * clip(0.9 * pow(error, -1.0 / 3), 0.2, 5);
  return cond(
      error <= 1,
      [&] {
        return OdePoint{at.left - h, y, k4, next, at.steps + 1, at.tries + 1};
      },
      [&] {
        return OdePoint{at.left, at.y, k1, next, at.steps, at.tries + 1};
      });
}

// From y0 at t0 to t1. All of y shares its steps. What comes back has time left
// if max_tries were not enough.
inline OdePoint odeint(const Dynamics& f, const Tensor& y0, double t0,
                       double t1, const OdeOptions& options = {}) {
  DType dtype = y0.dtype();
  OdePoint start{.left = constant(t1 - t0, dtype),
                 .y = y0,
                 .slope = f(constant(t0, dtype), y0),
                 .step = constant(options.first_step, dtype),
                 .steps = constant(int64_t{0}),
                 .tries = constant(int64_t{0})};
  return while_loop(
      [](const OdePoint& at) { return at.left > 0; },
      [&](const OdePoint& at) { return ode_step(f, at, t1, options); }, start,
      {.maximum_iterations = options.max_tries});
}

}  // namespace sluice::loops
