// The ways in which a program of the matrix and its derivatives are computed:
// imperatively, as a captured function differentiated from outside and from
// inside, and in a graph by each executor and by the reference interpreter.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/loop_matrix/programs.h"

namespace sluice::loop_matrix {

// At one point: y, the gradient for each argument, and twice the second
// derivative along Direction(): the gradient of <direction, gradient>, and what
// hvp gives.
struct Derivatives {
  Array value;
  Arrays first, second, hvp;
};
const Arrays& Direction();

struct Way {
  std::string name;
  std::function<Derivatives(const Arrays& at, Order order)> at;
  bool counts = true;  // Around::count, where there are variables
};

// The graph of a program and its derivatives.
struct ProgramOptions {
  bool hvp = true;
  bool shapes_known = true;
  bool written_out = false;
  bool positive = false;
  bool counts = true;  // Around::count, where there are variables
  Save save{};
};
struct Program;
std::shared_ptr<Program> MakeProgram(const Cell& cell,
                                     const ProgramOptions& options);
// How it is run.
struct GraphOptions {
  ExecutorChoice executor = ExecutorChoice::kAuto;
  int threads = 2;
  int64_t parallel = 10;
};

Way Imperative(const Cell& cell, bool written_out = false,
               bool positive = false);
Way CapturedFromOutside(const Cell& cell);
Way CapturedFromInside(const Cell& cell);
// The bound on iterations at once is the program's until another is made.
Way Deferred(std::shared_ptr<Program> program,
             const GraphOptions& options = {});
Way Interpreted(std::shared_ptr<Program> program);

}  // namespace sluice::loop_matrix
