// The receiver of reads and writes of converted code (_convert/recorder.py):
// one Python object for each thread that records a function.
//
// Under the GIL.
#pragma once

#include "common.h"

namespace sluice::py {

// Incremented by every change of a module's or an optimizer's parts.
uint64_t Epoch();
// Counts changes of optimizers' options that differ from call to call.
uint64_t News();

// While it lives, reads and writes of converted code on this thread are
// reported to `recorder`.
class RecorderScope {
 public:
  explicit RecorderScope(nb::handle recorder);
  ~RecorderScope();
  RecorderScope(const RecorderScope&) = delete;
  RecorderScope& operator=(const RecorderScope&) = delete;

 private:
  PyObject* before_;
  nb::object own_;
};

// The recorder of this thread; empty if there is none.
nb::object CurrentRecorder();

// attr, place, recorder, bump_epoch, ...
void BindRecorder(nb::module_& m);

}  // namespace sluice::py
