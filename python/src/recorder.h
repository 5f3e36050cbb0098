// Who is told what converted code reads and writes (_convert/recorder.py): one
// object of Python for each thread that records a function.
//
// Under the GIL.
#pragma once

#include "common.h"

namespace sluice::py {

// Every change of a module's or an optimizer's parts adds one.
uint64_t Epoch();
// Of the changes those of optimizers' options: not the same by every call.
uint64_t News();

// While it lives, what converted code reads and writes on this thread is told
// to `recorder`.
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

// The one of this thread; holds nothing when there is none.
nb::object CurrentRecorder();

// attr, place, recorder, bump_epoch, ...
void BindRecorder(nb::module_& m);

}  // namespace sluice::py
