// BackupChoice: how many gradients a step should wait for, of what was seen of
// the workers' times. Waiting for one more worker makes a step better by one
// gradient and longer by what that one is slower: it chooses the number that
// gives most gradients per second, over the last steps.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace sluice::distributed {

class BackupChoice {
 public:
  // REQUIRES: 1 <= least <= workers. Fewer than `least` are never chosen;
  // decisions look back `window` steps, and begin when there are so many.
  BackupChoice(int workers, int least, int window = 16);

  // A worker needed so long for a step, from its token to what it handed in.
  void Arrived(int worker, int64_t step, double seconds);
  // Whoever had no token of the step counts as not there.
  int Choose(int before) const;

 private:
  struct Step {
    int64_t number;
    std::vector<double> seconds;  // of each worker; infinite: not seen
  };
  const int workers_, least_, window_;
  std::deque<Step> steps_;
};

}  // namespace sluice::distributed
