// Exports tokens to other threads.
#include "sluice/base/caught.h"
#include "sluice/step/step_local.h"

namespace sluice {

void Step::MaybeExport(Local& local) {
  if (!pool_->has_idle()) return;
  // Keep one token for ourselves; heavy ones go first, oldest first.
  std::vector<Token> tokens;
  if (local.heavy.size() + (local.light.empty() ? 0 : 1) > 1) {
    tokens.push_back(local.heavy.front());
    local.heavy.erase(local.heavy.begin());
  } else if (local.light.size() > 64) {
    // The newest tokens represent all: adding up a long stack would cost more
    // than it is worth.
    constexpr size_t kLook = 8;
    float cost = 0;
    for (size_t i = local.light.size() - kLook; i < local.light.size(); ++i) {
      cost += plan_.cost_ns(local.light[i].node) / kLook;
    }
    if (cost < kShareNanos ||
        cost * static_cast<float>(local.light.size()) < kBatchNanos) {
      return;
    }
    auto half =
        local.light.begin() + static_cast<ptrdiff_t>(local.light.size() / 2);
    tokens.assign(local.light.begin(), half);
    local.light.erase(local.light.begin(), half);
  } else {
    return;
  }
  // Written once, by the driver, before any other thread knows the step; the
  // submission below publishes it.
  if (!shared_) shared_ = true;
  auto batch = std::make_unique<Batch>();
  batch->step = this;
  batch->tokens = std::move(tokens);
  batch->run = [](Task* task) {
    std::unique_ptr<Batch> own(static_cast<Batch*>(task));
    Step& step = *own->step;
    try {
      step.RunBatch(*own);
    } catch (...) {
      step.Break(CaughtStatus());
    }
    // The last access: the step may be destroyed right after.
    step.visitors_.fetch_sub(1, std::memory_order_release);
  };
  visitors_.fetch_add(1, std::memory_order_relaxed);
  try {
    pool_->Submit(batch.get());
  } catch (...) {
    visitors_.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
  (void)batch.release();
}

void Step::RunBatch(const Batch& batch) {
  Local here;
  here.worker = static_cast<uint32_t>(WorkerPool::CurrentWorker());
  here.heavy_last = true;
  for (const Token& t : batch.tokens) Push(here, t, false);
  here.pushed = 0;  // they were counted on the exporting thread
  FireAll(here);
  if (stats_) {
    MutexLock lock(mu_);
    stats_->firings.insert(stats_->firings.end(), here.firings.begin(),
                           here.firings.end());
  }
}

}  // namespace sluice
