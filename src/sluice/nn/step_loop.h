// A loop over the steps of sequences, with or without a schedule of rows: what
// dynamic_rnn and the recurrent layers run. One loop in a graph; imperatively
// the code runs at once.
//
// Plain functions, thread safe. Errors throw sluice::Error.
#pragma once

#include <source_location>
#include <vector>

#include "sluice/front/control_flow.h"
#include "sluice/nn/row_schedule.h"

namespace sluice::nn {

struct StepLoop {
  const char* what;  // "dynamic_rnn", for messages
  // Takes the state and one step of each sequence; gives the next state, then
  // what is kept of the step.
  front_internal::Code step;
  // Each [batch, ...], if there is a schedule.
  std::vector<Tensor> state;
  // [steps, batch, ...] without a schedule, rows [n, ...] with one.
  std::vector<Tensor> sequences;
  bool reverse = false;  // every example from its end
  LoopOptions options;
  std::source_location where;
};
struct StepLoopResult {
  std::vector<Tensor> state;  // after the last step of each example
  std::vector<Tensor> kept;   // as the sequences are
};
// A schedule makes the batch shrink: a step runs the examples that have it.
StepLoopResult RunSteps(const RowSchedule* schedule, const StepLoop& loop);

}  // namespace sluice::nn
