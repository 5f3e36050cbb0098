#include "sluice/nn/recurrent.h"

#include "sluice/nn/checks.h"
#include "sluice/nn/step_loop.h"

namespace sluice::nn::recurrent_internal {

RnnOutcome RunRnn(const RnnCall& call) {
  SL_WANT(!call.inputs.empty(), call.where, call.what, ": there is no input");
  for (const Tensor& x : call.inputs) {
    SL_WANT(x.defined(), call.where, call.what, ": an input holds nothing");
    SL_WANT(x.rank() < 0 || x.rank() >= 2, call.where, call.what,
            ": an input is ", TypeText(x.dtype(), x.shape()),
            "; wanted [steps, batch, ...]");
  }
  for (const Tensor& s : call.state) {
    SL_WANT(s.defined(), call.where, call.what, ": a state holds nothing");
  }
  std::optional<RowSchedule> schedule;
  Tensors inputs = call.inputs;
  if (call.options.lengths.defined()) {
    schedule = MakeSchedule(inputs[0], call.options.lengths, call.where);
    for (Tensor& x : inputs) x = PackRows(*schedule, x, call.where);
  }
  StepLoopResult result =
      RunSteps(schedule ? &*schedule : nullptr,
               {call.what, call.step, call.state, call.prepare(inputs),
                call.options.reverse, call.options.loop, call.where});
  if (schedule) {
    for (Tensor& y : result.kept) y = PadRows(*schedule, y, call.where);
  }
  return {std::move(result.state), std::move(result.kept)};
}

}  // namespace sluice::nn::recurrent_internal
