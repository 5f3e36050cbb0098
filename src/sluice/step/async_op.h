// An asynchronous kernel in flight: its inputs, its outputs to be, and the
// token it holds. Made when the kernel is launched. One that is done before its
// launch returns goes on right there; others are posted to their step by Done()
// and consumed by the step's driver.
#pragma once

#include <atomic>
#include <memory>
#include <new>
#include <span>

#include "sluice/base/clock.h"
#include "sluice/step/step.h"

namespace sluice {

// Inputs, then outputs; most kernels have few.
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
  // Takes the inputs out of their slots, except those that stay there.
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
      // Kernels of asynchronous ops see contiguous inputs, like all others.
      if (inputs[i].contiguous()) [[likely]]
        continue;
      Result<Array> row = inputs[i].AsContiguous();
      if (row.ok()) {
        inputs[i] = *std::move(row);
      } else {
        status = row.status();  // must not be launched
      }
    }
  }
  ~AsyncOp() override = default;

  // One after the other, most steps have one in flight or none: a thread keeps
  // the memory of its last.
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
    // Whoever comes second, this or the return of the launch, goes on with it;
    // the first does not touch it any more.
    Step* step = step_;
    if (!passed_.exchange(true, std::memory_order_acq_rel)) return;
    step->Post(this);
  }
  // The launch has returned: true when the kernel is done already.
  bool Launched() { return passed_.exchange(true, std::memory_order_acq_rel); }
  bool done() const { return passed_.load(std::memory_order_acquire); }

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
  static inline thread_local LastBlock last_;

  Step* step_;
  std::atomic<bool> passed_{false};  // one of Done and Launched
};

}  // namespace sluice
