#include "sluice/step/step_pool.h"

#include "sluice/base/thread_annotations.h"

namespace sluice {

namespace {

class IdleSteps final : public KeptWithPlan {
 public:
  ~IdleSteps() override { delete spare_.load(); }

  // Null if there is none.
  std::unique_ptr<Step> Take() {
    if (Step* spare = spare_.exchange(nullptr, std::memory_order_acquire)) {
      return std::unique_ptr<Step>(spare);
    }
    MutexLock lock(mu_);
    if (idle_.empty()) return nullptr;
    auto step = std::move(idle_.back());
    idle_.pop_back();
    return step;
  }

  void Put(std::unique_ptr<Step> step) {
    Step* none = nullptr;
    if (spare_.compare_exchange_strong(none, step.get(),
                                       std::memory_order_acq_rel)) {
      (void)step.release();
      return;
    }
    MutexLock lock(mu_);
    idle_.push_back(std::move(step));
  }

 private:
  // For callers that run steps one after the other: no lock. Owned.
  std::atomic<Step*> spare_{nullptr};
  Mutex mu_;
  std::vector<std::unique_ptr<Step>> idle_ SL_GUARDED_BY(mu_);
};

IdleSteps& StepsOf(const Plan& plan) {
  // Nothing else is kept with a plan.
  return static_cast<IdleSteps&>(
      plan.Kept([]() -> std::unique_ptr<KeptWithPlan> {
        return std::make_unique<IdleSteps>();
      }));
}

}  // namespace

std::unique_ptr<Step> AcquireStep(const Plan& plan) {
  std::unique_ptr<Step> step = StepsOf(plan).Take();
  return step ? std::move(step) : std::make_unique<Step>(plan);
}

void ReleaseStep(const Plan& plan, std::unique_ptr<Step> step) {
  if (!step->broken()) StepsOf(plan).Put(std::move(step));
}

}  // namespace sluice
