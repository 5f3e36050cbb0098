// An asynchronous kernel in flight: its inputs, its outputs to be, and the
// token it holds. Made when the kernel is launched, posted to its step by
// Done(), consumed by the step's driver.
#pragma once

#include <memory>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/step/step.h"

namespace sluice {

struct AsyncArrays {
  std::vector<Array> inputs;
  std::vector<Array> outputs;
  StepContext context;
};

class Step::AsyncOp final : private AsyncArrays, public AsyncContext {
 public:
  static AsyncOp* Make(Step* step, const Token& token, const PlanNodeInfo& info,
                       const StepContext& context, std::span<Array> inputs,
                       size_t num_outputs) {
    AsyncArrays arrays;
    Status status;
    for (Array& in : inputs) {
      // Kernels of asynchronous ops see contiguous inputs, like all others.
      Result<Array> row = in.AsContiguous();
      if (!row.ok()) status = row.status();
      arrays.inputs.push_back(row.ok() ? *row : in);
    }
    arrays.outputs.resize(num_outputs);
    arrays.context = context;
    auto* op = new AsyncOp(step, token, info, std::move(arrays));
    op->status = status;  // not OK: must not be launched
    return op;
  }
  ~AsyncOp() override = default;

  void Done(Status s) override {
    status = std::move(s);
    step_->Post(this);
  }

  // The device has made the copy that this one waits for.
  void CopyDone() {
    step_->device_copies_.fetch_sub(1, std::memory_order_relaxed);
    Done(OkStatus());
  }

  using AsyncArrays::inputs;
  using AsyncArrays::outputs;
  Token token;
  Status status;
  AsyncOp* next = nullptr;                       // in the inbox
  AsyncOp *earlier = nullptr, *later = nullptr;  // among those in flight
  uint64_t started = CycleCount();

 private:
  AsyncOp(Step* step, const Token& t, const PlanNodeInfo& info,
          AsyncArrays arrays)
      : AsyncArrays(std::move(arrays)),
        AsyncContext(info.node->op(), info.node->attrs(), info.info,
                     AsyncArrays::context, AsyncArrays::inputs,
                     AsyncArrays::outputs),
        token(t),
        step_(step) {}
  Step* step_;
};

}  // namespace sluice
