// Devices that run behind the host: after a launch its outputs are passed on at
// once, copies to the host complete later, and a step ends when its devices
// have finished.
#include "sluice/device/copy_caller.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/device/timeline.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/late_errors.h"
#include "sluice/launch/launch_on.h"
#include "sluice/launch/node_error.h"
#include "sluice/op/signature.h"
#include "sluice/step/async_op.h"
#include "sluice/step/step_local.h"
#include "sluice/tensor/adopt.h"
#include "sluice/tensor/live_blocks.h"

namespace sluice {

namespace {

// Whether a value may stay on its device: less memory is in use than the swap's
// limit.
bool HasRoom(const Array& value, const Node& swap) {
  Allocator& allocator = value.memory()->allocator();
  auto above = swap.attrs().get<int64_t>("above");
  if (above < 0) {
    const auto* tells = dynamic_cast<const TellsLive*>(&allocator);
    int64_t limit = tells ? tells->limit() : INT64_MAX;
    if (limit == INT64_MAX) return true;
    above = limit / 2;
  }
  return allocator.stats().bytes_in_use <= above;
}

// Whether a copy would fill the device beyond the limit for copies ahead of
// use: kernels need memory for their results.
bool LeavesLittle(Device& device, const Array& value) {
  Allocator& allocator = device.memory().allocator();
  const auto* tells = dynamic_cast<const TellsLive*>(&allocator);
  int64_t limit = tells ? tells->limit() : INT64_MAX;
  return allocator.stats().bytes_in_use + value.bytes() > limit / 10 * 7;
}

}  // namespace

// A failed copy of a node fails the step, with the node's line.
class Step::CopyOfNode final : public CopyCaller {
 public:
  CopyOfNode(Step& step, const PlanNodeInfo& info, const IterBlock& block)
      : step_(step), info_(info), block_(block) {}

 protected:
  CopyFailed Failed() const override {
    // The block may belong to another iteration by the time a copy fails.
    return [&step = step_, &info = info_,
            place = step_.PlaceIn(block_)](const Status& error) {
      Status told =
          step.AtPlace(AtNode(error, *info.origin, {}), place, info.calls);
      step.Fail(told);
      return told;
    };
  }

 private:
  Step& step_;
  const PlanNodeInfo& info_;
  const IterBlock& block_;
};

Step::Outcome Step::StartCopyOf(const Token& token, Array* outputs) {
  const PlanNode& node = plan_.nodes()[token.node];
  IterBlock& block = *token.block;
  Array& in = block.slots[node.first_slot];
  Device& to = *plan_.devices()[node.device];
  // On the host's devices, or already in place: nothing to wait for.
  if (in.memory() == to.array_memory()) {
    outputs[0] = in;
    return Outcome::kDone;
  }
  const PlanNodeInfo& info = plan_.info(token.node);
  CopyOfNode caller(*this, info, block);
  if (node.kind == NodeKind::kSwapOut && HasRoom(in, *info.node)) {
    outputs[0] = in;
    return Outcome::kDone;
  }
  if (!to.memory().on_host() && !must_copy_.exchange(false) &&
      LeavesLittle(to, in) && Park(token)) {
    return Outcome::kPending;
  }
  AllocatesFor site(node.op->name, info.origin->line());
  IssuesFor iteration(block.frame ? block.iteration : -1);
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

Status Step::MoveOutputs(const PlanNodeInfo& info, Array* outputs) const {
  for (size_t i = 0; i < info.out_devices.size(); ++i) {
    Array& out = outputs[i];
    Memory* memory = plan_.devices()[info.out_devices[i]]->array_memory();
    if (out.memory() == memory || (out.unique() && Adopt(out, memory))) {
      continue;
    }
    SL_ASSIGN_OR_RETURN(
        Array own, Array::Make(out.dtype(), out.shape(), AllocatorOf(memory)));
    own.CopyFrom(out);
    out = std::move(own);
  }
  return OkStatus();
}

Status Step::LaunchOnDevice(const Token& token, const StepContext& context,
                            Array* outputs) {
  const PlanNode& node = plan_.nodes()[token.node];
  const PlanNodeInfo& info = plan_.info(token.node);
  IterBlock& block = *token.block;
  std::span<Array> inputs(block.slots + node.first_slot, node.num_inputs);
  IssuesFor iteration(block.frame ? block.iteration : -1);
  LaunchCall call{*node.op, node.node->attrs(), info.info, info.out_dtypes,
                  info.shapes.get()};
  // The block may belong to another iteration by the time a kernel fails.
  LateError late = [this, &info, place = PlaceIn(block)](const Status& error) {
    Fail(AtPlace(AtNode(error, *info.origin, {}), place, info.calls));
  };
  CopyOfNode caller(*this, info, block);
  return LaunchOn(*plan_.devices()[node.device], call, context, inputs,
                  {outputs, node.num_outputs}, late);
}

Status Step::RunPieceOnDevice(const Token& token, const StepContext& context,
                              std::span<Array> inputs,
                              std::span<Array> outputs) {
  const PlanNodeInfo& info = plan_.info(token.node);
  Device& device = *plan_.devices()[plan_.nodes()[token.node].device];
  CudaLaunchScope::LateFn late =
      [target = late_target_, &info, &device,
       place = PlaceIn(*token.block)](const Status& error) {
        MutexLock lock(target->mu);
        if (!target->step) return NoteLateError(device, error);
        target->step->Fail(target->step->AtPlace(error, place, info.calls));
      };
  CudaLaunchScope scope(late, /*says_where=*/false);
  return info.piece->Run(context, inputs, outputs);
}

bool Step::Park(const Token& token) {
  if (cancellation_->cancelled()) return false;
  MutexLock lock(mu_);
  parked_.push_back(token);
  num_parked_.store(static_cast<int64_t>(parked_.size()),
                    std::memory_order_release);
  return true;
}

// Copies that would fill a device are tried again after others have run, which
// free memory. If no other work is left, the first of them is made regardless.
// Called only by the driver, when it has nothing else to do.
bool Step::RetryParked() {
  int64_t parked = num_parked_.load(std::memory_order_acquire);
  if (parked == 0) return false;
  bool others = driver_->fired != fired_at_retry_;
  bool alone = outstanding_.load(std::memory_order_acquire) == parked;
  if (!others && !alone) return false;
  MutexLock lock(mu_);
  // In the order in which they were parked; tokens are taken from the end.
  int64_t tried = others ? parked : 1;
  auto end = parked_.begin() + tried;
  driver_->light.insert(driver_->light.end(), std::reverse_iterator(end),
                        parked_.rend());
  parked_.erase(parked_.begin(), end);
  must_copy_ = !others;
  num_parked_.store(static_cast<int64_t>(parked_.size()),
                    std::memory_order_release);
  fired_at_retry_ = driver_->fired + static_cast<uint32_t>(tried);
  return true;
}

bool Step::DriveDevices() {
  if (RetryParked()) return true;
  for (size_t d = 0; d < device_contexts_.size(); ++d) {
    if (plan_.devices()[d + 1]->Progress()) return true;
  }
  return false;
}

void Step::WaitForDevices() {
  for (Device* device : plan_.devices()) {
    if (device->synchronous()) continue;
    // Late errors of recorded launches are reported to their next reader.
    if (device->kind() == DeviceKind::kCuda && !plan_.waits_for_gpus() &&
        !broken()) {
      continue;
    }
    // Copies, too: their errors belong to this step.
    for (int use = 0; use < kNumStreamUses; ++use) {
      Stream& stream = device->stream(static_cast<StreamUse>(use));
      Status status = stream.Synchronize();
      if (!status.ok()) Fail(status);
    }
  }
  if (std::shared_ptr<LateTarget> target = std::move(late_target_)) {
    MutexLock lock(target->mu);
    target->step = nullptr;
  }
}

}  // namespace sluice
