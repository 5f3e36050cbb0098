// Devices that run behind the host: launches are handed over and their outputs
// go on at once, copies to the host complete later, and a step is over when its
// devices are.
#include "sluice/launch/copy_between.h"
#include "sluice/launch/launch_on.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/signature.h"
#include "sluice/step/async_op.h"
#include "sluice/step/step_local.h"

namespace sluice {

Step::Outcome Step::StartCopyOf(const Token& token, Array* outputs) {
  const PlanNode& node = plan_.nodes()[token.node];
  IterBlock& block = *token.block;
  Array& in = block.slots[node.first_slot];
  Device& to = *plan_.devices()[node.device];
  // On the host's devices and where it is already: nothing to wait for.
  if (in.memory() == to.array_memory()) {
    outputs[0] = in;
    return Outcome::kDone;
  }
  const PlanNodeInfo& info = plan_.info(token.node);
  Result<StartedCopy> copy = StartCopy(in, to);
  if (!copy.ok()) {
    Fail(Located(AtNode(InOp(*node.op, copy.status()), *info.origin, {&in, 1}),
                 block, info.calls));
    return Outcome::kDone;
  }
  if (!copy->pending) {
    outputs[0] = std::move(copy->value);
    return Outcome::kDone;
  }
  auto op = std::make_unique<AsyncOp>(this, token, info, context_,
                                      std::span<Array>(), nullptr, 1);
  op->outputs[0] = std::move(copy->value);
  if (!block.sticky[node.first_slot]) in = Array();
  device_copies_.fetch_add(1, std::memory_order_seq_cst);
  copy->pending->Then(
      [](void* done) { static_cast<AsyncOp*>(done)->CopyDone(); }, op.get());
  // As in LaunchAsync: known to the step before it can be posted.
  if (!op->done()) {
    AddInFlight(op.get());
    if (!op->Launched()) {
      (void)op.release();
      event_.Notify();
      return Outcome::kPending;
    }
    RemoveInFlight(op.get());
    visitors_.fetch_sub(1, std::memory_order_relaxed);
  }
  outputs[0] = std::move(op->outputs[0]);
  return Outcome::kDone;
}

Status Step::LaunchOnDevice(const Token& token, const StepContext& context,
                            Array* outputs) {
  const PlanNode& node = plan_.nodes()[token.node];
  const PlanNodeInfo& info = plan_.info(token.node);
  IterBlock& block = *token.block;
  std::span<Array> inputs(block.slots + node.first_slot, node.num_inputs);
  LaunchCall call{*node.op, node.node->attrs(), info.info, info.out_dtypes,
                  info.shapes.get()};
  // The block may be another iteration's by the time a kernel fails.
  LateError late = [this, &info, place = PlaceIn(block)](const Status& error) {
    Fail(AtPlace(AtNode(error, *info.origin, {}), place, info.calls));
  };
  return LaunchOn(*plan_.devices()[node.device], call, context, inputs,
                  {outputs, node.num_outputs}, late);
}

bool Step::DriveDevices() {
  for (size_t d = 0; d < device_contexts_.size(); ++d) {
    if (plan_.devices()[d + 1]->Progress()) return true;
  }
  return false;
}

void Step::WaitForDevices() {
  for (Device* device : plan_.devices()) {
    if (device->synchronous()) continue;
    Status status = device->stream().Synchronize();
    if (!status.ok()) Fail(status);
  }
}

}  // namespace sluice
