// Fits a line to points by gradient descent.
//
// Prints:
//   y = 2.00 x + 1.00
#include <sluice/sluice.h>

#include <cstdio>

namespace sl = sluice;

int main() {
  sl::Graph graph;
  sl::Tensor x, y;
  sl::Variable slope, offset;
  sl::Operation train;
  {
    sl::GraphScope building(graph);  // ops in here are recorded, not run
    x = sl::placeholder(sl::f32, {sl::any}, "x");
    y = sl::placeholder(sl::f32, {sl::any}, "y");
    slope = sl::variable(0.0f, "slope");
    offset = sl::variable(0.0f, "offset");

    auto error = slope * x + offset - y;
    auto down = slope.assign_sub(0.1 * sl::mean(error * x));
    auto left = offset.assign_sub(0.1 * sl::mean(error));
    sl::ControlScope both({down, left});
    train = sl::no_op("train");
  }

  sl::Session session(graph);
  session.run(sl::initialize_variables(graph));
  for (int step = 0; step < 500; ++step) {
    session.run(train, {{x, {0, 1, 2, 3}}, {y, {1, 3, 5, 7}}});
  }
  std::printf("y = %.2f x + %.2f\n", session.run(slope).data<float>()[0],
              session.run(offset).data<float>()[0]);
}
