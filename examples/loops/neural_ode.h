// A neural ODE (Chen et al., "Neural ordinary differential equations", 2018): a
// network says how fast things move, a solver with an adaptive step moves them,
// and gradients go through the solver's loop into the network.
#pragma once

#include "examples/loops/ode.h"

namespace sluice::loops {

// How fast a point of the plane moves.
struct MotionNet : nn::Module {
  explicit MotionNet(int64_t hidden, DType dtype = f32)
      : in(2, hidden, {.dtype = dtype}), out(hidden, 2, {.dtype = dtype}) {
    add("in", in), add("out", out);
  }
  Tensor forward(Tensor y) override { return out(tanh(in(y * y * y))); }

  nn::Linear in, out;
};

// The spiral to be learned: a point that goes round and falls inward.
inline Tensor spiral_motion(const Tensor& y) {
  return matmul(y * y * y, constant({{-0.1, 2.0}, {-2.0, -0.1}}, y.dtype()));
}

// Points [count + 1, 2] of the spiral, `dt` apart.
inline Tensor spiral(int64_t count, double dt) {
  NoGrad off;
  std::vector<Tensor> points{constant({{2.0f, 0.0f}})};
  OdeOptions fine{.absolute = 1e-7, .relative = 1e-6};
  for (int64_t i = 0; i < count; ++i) {
    points.push_back(odeint([](auto, auto y) { return spiral_motion(y); },
                            points.back(), 0, dt, fine)
                         .y);
  }
  return concat(points, {.axis = 0});
}

struct Followed {
  Tensor loss;   // the mean square distance from where it should have been
  Tensor tries;  // the steps the solver tried
};
// From paths[0] along paths [times, batch, 2], whose points are `dt` apart.
inline Followed follow(const Dynamics& f, const Tensor& paths, double dt,
                       const OdeOptions& options = {}) {
  Tensor intervals = gather(shape(paths), 0) - 1;
  auto [y, error, tries] = for_loop(
      intervals,
      [&](Tensor i, Tensor y, Tensor error, Tensor tries) {
        OdePoint next = odeint(f, y, 0, dt, options);
        Tensor off = next.y - gather(paths, i + 1);
        return std::tuple(next.y, error + mean(square(off)),
                          tries + next.tries);
      },
      gather(paths, 0), constant(0, paths.dtype()), int64_t{0});
  return {error / cast(intervals, paths.dtype()), tries};
}

}  // namespace sluice::loops
