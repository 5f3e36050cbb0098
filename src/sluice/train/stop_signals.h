// StopSignals: Ctrl-C and SIGTERM as a wish to stop at the next good place.
//
//   train::StopSignals signals;
//   while (!signals.caught()) Step();
//
// The first signal is noted; a second one does what it would have done without
// this object, for those who do not want to wait. What the process did with
// the signals before comes back when the object goes. Several objects share
// what was caught. Thread safe.
#pragma once

namespace sluice::train {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The number of the signal; 0: none.
  int caught() const;
};

}  // namespace sluice::train
