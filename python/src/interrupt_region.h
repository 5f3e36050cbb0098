// The parts of interrupt.h used by ReleaseGil and TakeGil.
#pragma once

namespace sluice::py {

// Starts watching. REQUIRES: the GIL; called once, by the module.
void WatchInterrupts();

// Part of a ReleaseGil: the main thread can be interrupted during its lifetime.
// REQUIRES: the GIL, in constructor and destructor.
class InterruptibleRegion {
 public:
  InterruptibleRegion();
  ~InterruptibleRegion();
  InterruptibleRegion(const InterruptibleRegion&) = delete;
  InterruptibleRegion& operator=(const InterruptibleRegion&) = delete;

 private:
  bool opened_;
};

// Part of a TakeGil: Python handles signals itself, until End.
class PythonRegion {
 public:
  PythonRegion();
  ~PythonRegion() = default;
  // REQUIRES: the GIL. Not called after the interpreter is gone.
  void End();
  PythonRegion(const PythonRegion&) = delete;
  PythonRegion& operator=(const PythonRegion&) = delete;

 private:
  bool paused_;
};

// After a failure: true if signals have arrived; the exception raised by their
// handlers is then set. REQUIRES: the GIL.
bool RaisedBySignal();

}  // namespace sluice::py
