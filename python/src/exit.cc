// Python before 3.14 ends a thread that wants the GIL again, once Python is
// finalizing, by pthread_exit, which unwinds its stack: through our frames,
// some of which may not be unwound, and whose destructors would touch Python
// objects without the GIL. And after Python, exit() destroys static objects
// that such threads are using.
//
// Both are met at the linker (cmake/Python.cmake, --wrap), so that no place in
// the code has to think of it:
// - The unwinder asks a function of the C++ runtime, the personality, about
//   every frame of ours that has something to do. Here the thread stops at the
//   innermost of them, until the process is gone.
// - Static objects are never destroyed: their memory goes with the process.
//   None of them holds what must be written at the end.
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

// The interpreter is about to go. Its dictionary is cleared before anything
// that InterpreterThere is for.
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
  // Threads that end themselves or are cancelled before Python's end are
  // unwound as ever.
  if ((actions & _UA_FORCE_UNWIND) && sluice::py::PythonEnds()) {
    sluice::py::WaitForTheEnd();
  }
  return __real___gxx_personality_v0(version, actions, exception_class,
                                     exception, context);
}

int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }

}  // extern "C"
