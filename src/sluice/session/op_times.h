// OpTimes: measured op times by op, types and device. Traced runs write them;
// placement reads them instead of its estimates.
//
// Lives with a master, whose programs share it. Thread safe.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sluice/base/thread_annotations.h"
#include "sluice/graph/node.h"
#include "sluice/plan/plan.h"
#include "sluice/step/step_stats.h"

namespace sluice {

class Device;

class OpTimes {
 public:
  void Add(const Node& node, const Device& device, double seconds);
  // The mean time of nodes with the same op and types on this device, else on
  // another device of the same kind; negative if unknown.
  double Of(const Node& node, const Device& device) const;
  // Increases with each run that adds measurements.
  int64_t version() const { return version_.load(std::memory_order_acquire); }
  void EndOfRun() { version_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  struct Mean {
    double sum = 0;
    int64_t count = 0;
  };
  mutable Mutex mu_;
  // Keys are "op(types) on device" and "op(types) on kind".
  std::unordered_map<std::string, Mean> means_ SL_GUARDED_BY(mu_);
  std::atomic<int64_t> version_{0};
};

// One traced run of a plan. The step times the kernels of the host. Work of
// simulated devices is timed by their timeline in virtual seconds, unless it is
// already being recorded. Lives on the stack, around the run.
class TimedRun {
 public:
  explicit TimedRun(const Plan& plan) : plan_(plan) {}
  TimedRun(const TimedRun&) = delete;
  TimedRun& operator=(const TimedRun&) = delete;

  // After the run: adds its times to `times`.
  void Collect(const StepStats& stats, OpTimes& times);

 private:
  const Plan& plan_;
};

}  // namespace sluice
