// OpTimes: how long ops took, by what they are and on which device: written by
// runs that are traced, read by placement in place of its estimates.
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
  // The mean of what such a node, of the same op and types, took there, or on
  // another device of that kind; negative: not known.
  double Of(const Node& node, const Device& device) const;
  // Grows with each run that has added something.
  int64_t version() const { return version_.load(std::memory_order_acquire); }
  void EndOfRun() { version_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  struct Mean {
    double sum = 0;
    int64_t count = 0;
  };
  mutable Mutex mu_;
  // By "op(types) on device" and "op(types) on kind".
  std::unordered_map<std::string, Mean> means_ SL_GUARDED_BY(mu_);
  std::atomic<int64_t> version_{0};
};

// One traced run of a plan. Kernels of the host are timed by the step; work of
// simulated devices by their timeline, in virtual seconds, unless somebody else
// writes that down. On the stack, around the run.
class TimedRun {
 public:
  explicit TimedRun(const Plan& plan) : plan_(plan) {}
  TimedRun(const TimedRun&) = delete;
  TimedRun& operator=(const TimedRun&) = delete;

  // After the run: what it took goes there.
  void Collect(const StepStats& stats, OpTimes& times);

 private:
  const Plan& plan_;
};

}  // namespace sluice
