// Before Python 3.14, a thread that wants the GIL again during finalization is
// ended by pthread_exit, which unwinds its stack through our frames. Some of
// them may not be unwound, and their destructors would use Python objects
// without the GIL. After Python's end, exit() destroys static objects that such
// threads are using.
//
// Both are handled at link time (cmake/Python.cmake, --wrap), so that no other
// code is affected:
// - The unwinder calls a function of the C++ runtime, the personality, for each
//   frame of ours with cleanup code. There the thread stops, at the innermost
//   such frame, until the process has ended.
// - Static objects are never destroyed: their memory is freed with the process.
//   None of them has data that must be written at the end.
#include "exit.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>

namespace sluice::py {

namespace {

std::atomic<int> inside{0};
std::atomic<bool> over{false};
pthread_t ender;  // written before `over`

bool EndedHere() { return pthread_equal(ender, pthread_self()); }

// The interpreter is about to be finalized. Its dictionary is cleared before
// anything that InterpreterThere protects.
void InterpreterGoes(PyObject*) {
  ender = pthread_self();
  over.store(true, std::memory_order_seq_cst);
  while (inside.load(std::memory_order_seq_cst) != 0) sched_yield();
}

}  // namespace

void WatchTheEnd() {
  PyObject* dict = PyInterpreterState_GetDict(PyInterpreterState_Get());
  nb::object mark =
      nb::steal(PyCapsule_New(&over, "sluice.end", &InterpreterGoes));
  if (!dict || !mark.is_valid() ||
      PyDict_SetItemString(dict, "sluice.end", mark.ptr()) != 0) {
    throw nb::python_error();
  }
}

bool PythonEnds() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() || !Py_IsInitialized();
#else
  return _Py_IsFinalizing() || !Py_IsInitialized();
#endif
}

void WaitForTheEnd() {
  for (;;) pause();
}

InterpreterThere::InterpreterThere() {
  inside.fetch_add(1, std::memory_order_seq_cst);
  there_ = !over.load(std::memory_order_seq_cst);
  if (there_) return;
  inside.fetch_sub(1, std::memory_order_seq_cst);
  if (!EndedHere()) WaitForTheEnd();
}

InterpreterThere::~InterpreterThere() {
  if (there_) inside.fetch_sub(1, std::memory_order_release);
}

}  // namespace sluice::py

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int version,
                                                _Unwind_Action actions,
                                                uint64_t exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version,
                                                _Unwind_Action actions,
                                                uint64_t exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* context) {
  // Threads that end or are cancelled before Python's end are unwound as usual.
  if ((actions & _UA_FORCE_UNWIND) && sluice::py::PythonEnds()) {
    sluice::py::WaitForTheEnd();
  }
  return __real___gxx_personality_v0(version, actions, exception_class,
                                     exception, context);
}

int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }

}  // extern "C"
