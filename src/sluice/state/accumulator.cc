#include "sluice/state/accumulator.h"

#include "sluice/base/strings.h"
#include "sluice/state/arithmetic.h"

namespace sluice {

std::string Accumulator::Signature(DType dtype, const PartialShape& shape,
                                   AccumulatorReduction reduction) {
  return StrCat("accumulator ", TypeText(dtype, shape), ", ",
                reduction == AccumulatorReduction::kMean ? "mean" : "sum");
}

Result<Ref<Accumulator>> Accumulator::Make(std::string name, DType dtype,
                                           const PartialShape& shape,
                                           AccumulatorReduction reduction) {
  if (!kNumbers.contains(dtype)) {
    return InvalidArgument(
        StrCat("dtype is ", DTypeName(dtype), "; wanted one of ", kNumbers));
  }
  return MakeRef<Accumulator>(std::move(name), dtype, shape, reduction);
}

Accumulator::Accumulator(std::string name, DType dtype,
                         const PartialShape& shape,
                         AccumulatorReduction reduction)
    : WaitingResource(std::move(name), Signature(dtype, shape, reduction)),
      dtype_(dtype),
      shape_(shape),
      reduction_(reduction) {}

Accumulator::~Accumulator() {
  Replies replies;
  while (!takes_.empty()) {
    replies.AddCancelled(takes_.pop().waiter, [&] { return what(); });
  }
}

Status Accumulator::Apply(int64_t local_step, const Array& gradient) {
  auto mismatch = [&](const PartialShape& wanted) {
    return InvalidArgument(StrCat("gradient is ", gradient.TypeText(),
                                  "; wanted ", TypeText(dtype_, wanted),
                                  " as accumulator \"", name(), "\""));
  };
  if (gradient.dtype() != dtype_ || !shape_.Covers(gradient.shape())) {
    return mismatch(shape_);
  }
  SL_ASSIGN_OR_RETURN(Array x, OwnedArray(gradient));
  SL_ASSIGN_OR_RETURN(x, ConvertFloat(x, SumDType(dtype_)));
  Replies replies;
  MutexLock lock(mu_);
  if (local_step < step_) return OkStatus();
  if (count_ == 0) {
    sum_ = std::move(x);
  } else if (sum_.shape() == x.shape()) {
    SL_RETURN_IF_ERROR(AddTo(&sum_, x));
  } else {
    return mismatch(sum_.shape());
  }
  ++count_;
  Flush(replies);
  return OkStatus();
}

void Accumulator::Take(int64_t num_required, Cancellation* c, Reply reply) {
  if (num_required < 1) {
    return reply(InvalidArgument(StrCat("num_required is ", num_required,
                                        "; wanted 1 or more")),
                 {});
  }
  PendingTake take{{c, std::move(reply)}, num_required};
  Replies replies;
  MutexLock lock(mu_);
  bool now = takes_.empty() && count_ >= num_required;
  if (auto refused = Wait(takes_, std::move(take), now)) {
    return replies.AddCancelled(std::move(refused->waiter),
                                [&] { return what(); });
  }
  Flush(replies);
}

void Accumulator::CancelWaiter(uint64_t id) noexcept {
  Replies replies;
  MutexLock lock(mu_);
  if (auto take = takes_.Remove(id)) {
    replies.AddCancelled(std::move(take->waiter), [&] { return what(); });
  }
  Flush(replies);  // the next waiter may need fewer
}

void Accumulator::Flush(Replies& replies) {
  while (!takes_.empty() && count_ >= takes_.front().num_required) {
    std::vector<Array> value;
    // Runs immediately, under the lock, which the analysis does not see.
    Status status = Guarded([&]() SL_NO_THREAD_SAFETY_ANALYSIS -> Status {
      value.resize(1);
      SL_ASSIGN_OR_RETURN(value[0], Reduced());
      return OkStatus();
    });
    if (!status.ok()) {
      replies.Add(takes_.pop().waiter, std::move(status));
      continue;  // the gradients stay for the next one
    }
    // Cleared before the reply, which may then be the only owner.
    sum_ = Array();
    count_ = 0;
    ++step_;
    replies.Add(takes_.pop().waiter, OkStatus(), std::move(value));
  }
}

Result<Array> Accumulator::Reduced() const {
  Array value = sum_;
  if (reduction_ == AccumulatorReduction::kMean && count_ > 1) {
    SL_ASSIGN_OR_RETURN(value, Divide(sum_, count_));
  }
  return ConvertFloat(value, dtype_);
}

void Accumulator::SetStep(int64_t step) {
  MutexLock lock(mu_);
  step_ = step;
}

int64_t Accumulator::count() const {
  MutexLock lock(mu_);
  return count_;
}

int64_t Accumulator::step() const {
  MutexLock lock(mu_);
  return step_;
}

}  // namespace sluice
