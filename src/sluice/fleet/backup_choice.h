// BackupChoice: how many gradients a step should wait for, from the observed
// times of the workers. Waiting for one more worker adds a gradient to the step
// and makes it longer by that worker's delay. The choice maximizes gradients
// per second over the last steps.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace sluice::distributed {

class BackupChoice {
 public:
  // REQUIRES: 1 <= least <= workers. Never chooses fewer than `least`.
  // Decisions use the last `window` steps, and begin once there are that many.
  BackupChoice(int workers, int least, int window = 16);

  // The time a worker took for a step, from its token to its gradient.
  void Arrived(int worker, int64_t step, double seconds);
  // A worker without a token for the step counts as absent.
  int Choose(int before) const;

 private:
  struct Step {
    int64_t number;
    std::vector<double> seconds;  // by worker; infinite: not seen
  };
  const int workers_, least_, window_;
  std::deque<Step> steps_;
};

}  // namespace sluice::distributed
