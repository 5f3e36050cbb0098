// The parts of interrupt.h that ReleaseGil and TakeGil are made of.
#pragma once

namespace sluice::py {

// From now on. REQUIRES: the GIL; called once, by the module.
void WatchInterrupts();

// What a ReleaseGil holds: the main thread may be interrupted from here on.
// REQUIRES: the GIL, at both ends.
class InterruptibleRegion {
 public:
  InterruptibleRegion();
  ~InterruptibleRegion();
  InterruptibleRegion(const InterruptibleRegion&) = delete;
  InterruptibleRegion& operator=(const InterruptibleRegion&) = delete;

 private:
  bool opened_;
};

// What a TakeGil holds: Python code looks after itself, until End.
class PythonRegion {
 public:
  PythonRegion();
  ~PythonRegion() = default;
  // REQUIRES: the GIL. Not called where the interpreter has gone.
  void End();
  PythonRegion(const PythonRegion&) = delete;
  PythonRegion& operator=(const PythonRegion&) = delete;

 private:
  bool paused_;
};

// After a failure: true when signals had come, with the exception their
// handlers raised set. REQUIRES: the GIL.
bool RaisedBySignal();

}  // namespace sluice::py
