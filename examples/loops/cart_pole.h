// CartPole: a pole that stands on a cart, which is pushed to the left or to the
// right at every step; written in ops, so that it runs imperatively, captured
// and inside a loop of a graph.
//
// The state is f32[4]: place and speed of the cart, angle and speed of the
// pole. Plain functions without state of their own.
#pragma once

#include <sluice/sluice.h>

namespace sluice::loops {

struct CartPole {
  struct Outcome {
    Tensor state;   // f32[4]
    Tensor reward;  // f32: 1 in the middle and upright, 0 at the edge
    Tensor fell;    // bool: the cart or the pole left the range
  };

  // Nearly at rest in the middle; equal keys (i64) begin alike.
  static Tensor begin(const Tensor& key, int64_t seed);
  // A fiftieth of a second later. Action 1 pushes to the right, 0 to the left.
  static Outcome push(const Tensor& state, const Tensor& action);
};

}  // namespace sluice::loops
