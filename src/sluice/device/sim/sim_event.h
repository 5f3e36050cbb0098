// SimEvent: a point in a stream of a simulated device, and the virtual time at
// which it is reached. Thread safe. Its world must outlive it.
#pragma once

#include <atomic>

#include "sluice/device/device.h"
#include "sluice/device/sim/vector_clock.h"

namespace sluice {

class SimWorld;

class SimEvent final : public Event {
 public:
  SimEvent(SimWorld& world, VectorClock clock)
      : world_(world), clock_(std::move(clock)) {}

  // Whether the work before it has been executed. After this the host knows,
  // but its clock does not move: SimWorld::WaitUntilReached moves it.
  bool Reached() override;

  // The same, but the host does not learn of it.
  bool executed() const { return executed_.load(std::memory_order_acquire); }
  // REQUIRES: executed().
  double seconds() const { return seconds_; }
  SimWorld& world() const { return world_; }
  const VectorClock& clock() const { return clock_; }

 private:
  friend class SimWorld;
  void Execute(double seconds) {
    seconds_ = seconds;
    executed_.store(true, std::memory_order_release);
  }

  SimWorld& world_;
  const VectorClock clock_;  // of the stream at this point
  double seconds_ = 0;       // written before executed_, read after
  std::atomic<bool> executed_{false};
  std::atomic<bool> seen_{false};  // the host knows that it is reached
};

}  // namespace sluice
