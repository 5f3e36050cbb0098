// The types of the results of one step of a loop over sequences, computed
// before the loop exists, because the lists that collect the results are made
// first.
//
// The code is called as when a loop is recorded, and its nodes are discarded.
// Plain functions, thread safe.
#pragma once

#include <source_location>
#include <vector>

#include "sluice/graph/value.h"
#include "sluice/trace/record_region.h"

namespace sluice::front_internal {

struct StepTypes {
  std::vector<ValueType> carried, collected;
};

struct StepQuestion {
  const char* what;  // "scan", for messages
  const Code& step;  // returns carried values, then collected ones
  // The types of its arguments: carried values first, in shapes that become
  // less specific when the step returns other sizes.
  std::vector<ValueType> args;
  size_t num_carried;
  // Tensors that tell which graph the code may read; empty: no graph.
  std::vector<Tensor> around;
  std::source_location where;
};
StepTypes TypesOfStep(const StepQuestion& question);

}  // namespace sluice::front_internal
