// A step length along a direction that makes a function smaller by enough and
// leaves it flat enough: the strong conditions of Wolfe.
//
//   Point end = SearchStrongWolfe(at, start, 1.0);
//
// `at` computes the function at a length; `start` is its point of length 0,
// with a slope below 0. When no such length is found in time, the best that was
// met; never worse than the start.
#pragma once

#include <functional>

#include "sluice/eager/tensor.h"

namespace sluice::optim {

struct Point {
  double t = 0, loss = 0;
  double slope = 0;  // along the direction
  Tensor grad;       // all of it, flat
};

struct LineSearchOptions {
  // The loss falls by at least this part of what the first slope promises.
  double decrease = 1e-4;
  // The last slope is at most this part of the first.
  double curvature = 0.9;
  int max_points = 25;  // after the first
  // Brackets narrower than this are not searched.
  double min_width = 1e-9;
};

Point SearchStrongWolfe(const std::function<Point(double t)>& at,
                        const Point& start, double first,
                        const LineSearchOptions& options = {});

}  // namespace sluice::optim
