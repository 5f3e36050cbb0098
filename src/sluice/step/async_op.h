// An asynchronous kernel in flight: its inputs, its future outputs and the
// token it holds. Created when the kernel is launched. If the kernel finishes
// before its launch returns, the launching thread continues with it at once.
// Otherwise Done() posts it to its step, from any thread, and the driver of the
// step consumes it.
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <span>

#include "sluice/base/clock.h"
#include "sluice/step/step.h"

namespace sluice {

// Inputs, then outputs; most kernels have few of both.
class AsyncArrays {
 public:
  AsyncArrays(size_t num_inputs, size_t num_outputs) {
    size_t count = num_inputs + num_outputs;
    if (count > kFew) many_ = std::make_unique<Array[]>(count);
    Array* first = many_ ? many_.get() : few_;
    inputs = {first, num_inputs};
    outputs = {first + num_inputs, num_outputs};
  }
  std::span<Array> inputs, outputs;

 private:
  static constexpr size_t kFew = 3;
  Array few_[kFew];
  std::unique_ptr<Array[]> many_;
};

struct LastBlock {
  ~LastBlock() { ::operator delete(block); }
  void* block = nullptr;
};

class Step::AsyncOp final : private AsyncArrays,
                            private StepContext,
                            public AsyncContext {
 public:
  // Moves the inputs out of their slots, except sticky ones.
  AsyncOp(Step* step, const Token& t, const PlanNodeInfo& info,
          const StepContext& context, std::span<Array> in,
          const uint8_t* sticky, size_t num_outputs)
      : AsyncArrays(in.size(), num_outputs),
        StepContext(context),
        AsyncContext(info.node->op(), info.node->attrs(), info.info,
                     static_cast<StepContext&>(*this), AsyncArrays::inputs,
                     AsyncArrays::outputs),
        token(t),
        step_(step) {
    for (size_t i = 0; i < in.size(); ++i) {
      inputs[i] = sticky[i] ? in[i] : std::move(in[i]);
      // Asynchronous kernels see contiguous inputs, like all other kernels.
      if (inputs[i].contiguous()) [[likely]]
        continue;
      Result<Array> row = inputs[i].AsContiguous();
      if (row.ok()) {
        inputs[i] = *std::move(row);
      } else {
        status = row.status();  // the kernel must not be launched
      }
    }
  }
  ~AsyncOp() override = default;

  // Most steps have at most one in flight at a time: each thread keeps the
  // memory of its last one for the next.
  static void* operator new(size_t size) {
    if (void* block = std::exchange(last_.block, nullptr)) return block;
    return ::operator new(size);
  }
  static void operator delete(void* block) {
    if (!last_.block) {
      last_.block = block;
    } else {
      ::operator delete(block);
    }
  }

  void set_tag(uint64_t tag) { StepContext::tag = tag; }

  void Done(Status s) override {
    status = std::move(s);
    // This call and the return of the launch race. The second of them continues
    // with the kernel; the first must not touch it any more.
    Step* step = step_;
    if (!passed_.exchange(true, std::memory_order_acq_rel)) return;
    step->Post(this);
  }
  // Called when the launch has returned; true if the kernel has finished.
  bool Launched() { return passed_.exchange(true, std::memory_order_acq_rel); }
  bool done() const { return passed_.load(std::memory_order_acquire); }

  // The device has finished the copy that this kernel waits for.
  void CopyDone() {
    step_->device_copies_.fetch_sub(1, std::memory_order_relaxed);
    Done(OkStatus());
  }

  using AsyncArrays::inputs;
  using AsyncArrays::outputs;
  Token token;
  Status status;
  AsyncOp* next = nullptr;  // in the inbox
  // In the list of those in flight.
  AsyncOp *earlier = nullptr, *later = nullptr;
  uint64_t started = CycleCount();

 private:
  static inline thread_local LastBlock last_;

  Step* step_;
  std::atomic<bool> passed_{false};  // set by the first of Done and Launched
};

}  // namespace sluice
