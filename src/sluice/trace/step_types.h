// What one step of a loop over sequences gives, known before the loop is there:
// lists that collect its results are made first.
//
// The code is called as it is when a loop is recorded, and what it records is
// thrown away. Plain functions, thread safe.
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
  const Code& step;  // gives what is carried, then what is collected
  // What it is called with: what is carried first, in shapes that become wider
  // when the step gives other sizes.
  std::vector<ValueType> args;
  size_t num_carried;
  // Tensors that tell which graph the code may read; none: no graph.
  std::vector<Tensor> around;
  std::source_location where;
};
StepTypes TypesOfStep(const StepQuestion& question);

}  // namespace sluice::front_internal
