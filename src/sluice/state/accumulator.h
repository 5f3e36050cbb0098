// Accumulator: collects gradients from many steps until there are enough, then
// returns their mean or sum once. Each gradient belongs to a global step; a
// gradient computed for an earlier step is stale and dropped.
//
// Thread safe; waiting takes block no thread and are served in order of
// arrival. The last bits of floating-point sums depend on the order in which
// gradients arrive; a program that needs equal sums must order its steps.
#pragma once

#include <string>

#include "sluice/base/thread_annotations.h"
#include "sluice/state/waiting.h"

namespace sluice {

enum class AccumulatorReduction : uint8_t { kMean, kSum };

class Accumulator : public WaitingResource {
 public:
  static constexpr char kKind[] = "accumulator";
  const void* tag() const override { return kKind; }

  // Error: a dtype without addition.
  static Result<Ref<Accumulator>> Make(std::string name, DType dtype,
                                       const PartialShape& shape,
                                       AccumulatorReduction reduction);
  // "accumulator f32[2], mean".
  static std::string Signature(DType dtype, const PartialShape& shape,
                               AccumulatorReduction reduction);
  Accumulator(std::string name, DType dtype, const PartialShape& shape,
              AccumulatorReduction reduction);

  DType dtype() const { return dtype_; }
  const PartialShape& shape() const { return shape_; }

  // Adds `gradient`, or drops it when local_step < step().
  Status Apply(int64_t local_step, const Array& gradient);
  // Waits for `num_required` gradients, replies with the mean or sum of all
  // gradients received, clears them and advances to the next step.
  void Take(int64_t num_required, Cancellation* c, Reply reply);
  void SetStep(int64_t step);

  int64_t count() const;
  int64_t step() const;

 protected:
  ~Accumulator() override;
  void CancelWaiter(uint64_t id) noexcept override;

 private:
  struct PendingTake {
    Waiter waiter;
    int64_t num_required = 1;
  };
  void Flush(Replies& replies) SL_REQUIRES(mu_);
  Result<Array> Reduced() const SL_REQUIRES(mu_);
  std::string what() const {
    return "take from accumulator \"" + name() + "\"";
  }

  const DType dtype_;
  const PartialShape shape_;
  const AccumulatorReduction reduction_;
  mutable Mutex mu_;
  Array sum_ SL_GUARDED_BY(mu_);  // null while count_ is 0
  int64_t count_ SL_GUARDED_BY(mu_) = 0;
  int64_t step_ SL_GUARDED_BY(mu_) = 0;
  WaitLine<PendingTake> takes_ SL_GUARDED_BY(mu_);
};

}  // namespace sluice
