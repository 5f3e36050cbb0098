// The steady heat in a square plate: temperatures u with
//   d2u/dx2 + d2u/dy2 = 0   inside,
//   u = 400 x (1 - x)       along the top edge, 0 along the three others.
//
// PlateGraph solves it by relaxation: the plate is a grid in a variable, and a
// step replaces every inner point by the mean of its four neighbours, many
// times over. ExactPlate sums the Fourier series of the same problem.
#pragma once

#include <sluice/sluice.h>

#include <cstdint>
#include <vector>

namespace sluice::app {

struct PlateGraph {
  // `n` inner points a side; `sweeps` relaxations in one step.
  PlateGraph(int64_t n, int64_t sweeps);

  Graph graph{"plate"};
  Variable plate;   // f64[n+2,n+2], the edges among them
  Operation relax;  // one step
  Tensor change;    // the most any point moved in the step's last sweep
  Operation initialize;
};

// The error left when one sweep changes no point by more than `change`: what
// is left shrinks by one factor per sweep, the grid's slowest.
double ErrorLeft(double change, int64_t n);

// Row-major temperatures of the same grid.
std::vector<double> ExactPlate(int64_t n);

}  // namespace sluice::app
