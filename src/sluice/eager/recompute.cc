#include "sluice/eager/recompute.h"

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/random_calls.h"

namespace sluice {

namespace {

RecomputeRegion*& CurrentRegion() {
  thread_local RecomputeRegion* current = nullptr;
  return current;
}

}  // namespace

class RecomputeRegion::Recording {
 public:
  explicit Recording(RecomputeRegion* region)
      : outer_(std::exchange(CurrentRegion(), region)) {}
  ~Recording() { CurrentRegion() = outer_; }

 private:
  RecomputeRegion* outer_;
};

RecomputeRegion* RecomputeRegion::Current() { return CurrentRegion(); }

RecomputeRegion::Apart::Apart()
    : outer_(std::exchange(CurrentRegion(), nullptr)) {}
RecomputeRegion::Apart::~Apart() { CurrentRegion() = outer_; }

RecomputeRegion::RecomputeRegion(TensorFn f, std::vector<Tensor> inputs)
    : f_(std::move(f)),
      inputs_(std::move(inputs)),
      random_calls_(RandomCalls()) {}

std::vector<Tensor> RecomputeRegion::Run() {
  Recording recording(this);
  return f_(inputs_);
}

bool RecomputeRegion::Enter(OpTapeNode& node) {
  if (again_) {
    repetitions_.push_back(Ref<OpTapeNode>::Share(&node));
    return false;
  }
  node.SetRegion(Ref<RecomputeRegion>::Share(this), calls_.size());
  calls_.push_back(&node);
  return true;
}

Status RecomputeRegion::Recompute() {
  if (done_) return OkStatus();
  again_ = true;
  // However a run that fails ends, the next begins as this one did.
  struct Ended {
    RecomputeRegion& region;
    ~Ended() {
      region.again_ = false;
      region.repetitions_.clear();
    }
  } ended{*this};
  {
    Recording recording(this);
    EnableGrad on;
    int64_t now = SetRandomCalls(random_calls_);
    std::vector<Tensor> again;
    for (const Tensor& x : inputs_) {
      again.push_back(x.requires_grad() ? x.detach().requires_grad_() : x);
    }
    Status status;
    try {
      f_(again);
    } catch (const Error& e) {
      status = Status(e.code(), e.what());
    } catch (...) {
      SetRandomCalls(now);
      throw;
    }
    SetRandomCalls(now);
    SL_RETURN_IF_ERROR(status);
  }
  if (repetitions_.size() != calls_.size()) {
    return FailedPrecondition(
        StrCat("checkpoint: the function made ", repetitions_.size(),
               " recorded calls when it was run again and ", calls_.size(),
               " before; wanted one that does the same every time"));
  }
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (calls_[i]) calls_[i]->TakeValues(*repetitions_[i]);
  }
  done_ = true;
  // Never run a third time: whatever the function holds may go.
  inputs_.clear();
  f_ = nullptr;
  return OkStatus();
}

std::vector<Tensor> RunToRecompute(const TensorFn& f,
                                   const std::vector<Tensor>& inputs) {
  if (!front_internal::EagerMode::Current().grad) return f(inputs);
  return MakeRef<RecomputeRegion>(f, inputs)->Run();
}

}  // namespace sluice
