#include "caller_line.h"

#include <frameobject.h>

#include <array>
#include <new>
#include <utility>

#include "exit.h"
#include "said_line.h"
#include "without_gil.h"

namespace sluice::py {

namespace {

std::string& Package() {
  static std::string folder;
  return folder;
}

// The line to report while this thread runs without the GIL.
thread_local SourceLine held_line;

// This thread's state while a ReleaseGil is open; null inside a TakeGil.
thread_local PyThreadState* let_go = nullptr;

// The number of open ReleaseGil on all threads. Under the GIL.
int without_gil = 0;

// The line of one position in compiled code. Finding the line of an instruction
// walks a table, so positions are cached.
struct Place {
  PyCodeObject* code = nullptr;  // owned, so its address is not reused
  int instruction = -1;
  SourceLine line;
  bool ours = false;
};
constexpr size_t kPlaces = 2048;

std::string Utf8(PyObject* text) {
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
  if (utf8) return std::string(utf8, static_cast<size_t>(size));
  PyErr_Clear();
  return "?";
}

bool Ours(PyCodeObject* code) {
  const std::string& folder = Package();
  return !folder.empty() && Utf8(code->co_filename).starts_with(folder);
}

int InstructionOf(PyFrameObject* frame) {
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(frame);
#else
  return PyFrame_GetLineNumber(frame);
#endif
}

const Place& PlaceOf(PyFrameObject* frame, PyCodeObject* code) {
  // Under the GIL, and never destroyed: it holds Python objects.
  static auto& places = *new std::array<Place, kPlaces>;
  int instruction = InstructionOf(frame);
  size_t hash = (reinterpret_cast<uintptr_t>(code) >> 4) * 31 +
                static_cast<size_t>(instruction);
  Place& place = places[hash % kPlaces];
  if (place.code == code && place.instruction == instruction) return place;
  Py_INCREF(code);
  PyCodeObject* old = std::exchange(place.code, code);
  place.instruction = instruction;
  place.ours = Ours(code);
  place.line = {};
  if (!place.ours) {
#if PY_VERSION_HEX >= 0x030B0000
    PyObject* function = code->co_qualname;
#else
    PyObject* function = code->co_name;
#endif
    place.line = {InternString(Utf8(code->co_filename)),
                  InternString(Utf8(function)), PyFrame_GetLineNumber(frame)};
  }
  Py_XDECREF(old);
  return place;
}

SourceLine FindCaller() {
  if (held_line.known()) return held_line;
  if (!PyGILState_Check()) return {};
  return PythonLine();
}

}  // namespace

void FindPythonLines(const std::string& package) {
  Package() = package;
  SourceLine::find_caller = &FindCaller;
}

SourceLine PythonLine() {
  PyFrameObject* frame = PyEval_GetFrame();  // borrowed
  if (!frame) return {};
  Py_INCREF(frame);
  SourceLine line;
  while (frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const Place& place = PlaceOf(frame, code);
    Py_DECREF(code);  // the frame holds a reference
    if (!place.ours) {
      line = place.line;
      Py_DECREF(frame);
      break;
    }
    Py_DECREF(std::exchange(frame, PyFrame_GetBack(frame)));
  }
  return line;
}

SaidLine::SaidLine() : outer_(std::exchange(held_line, PythonLine())) {}
SaidLine::SaidLine(const SourceLine& line)
    : outer_(std::exchange(held_line, line)) {}
SaidLine::~SaidLine() { held_line = outer_; }

int StretchesWithoutGil() { return without_gil; }

ReleaseGil::ReleaseGil()
    : outer_(std::exchange(held_line, PythonLine())),
      state_((++without_gil, PyEval_SaveThread())),
      outer_state_(std::exchange(let_go, state_)) {}

ReleaseGil::~ReleaseGil() {
  PyEval_RestoreThread(state_);
  --without_gil;
  let_go = outer_state_;
  held_line = outer_;
}

namespace {

// Whether this thread, with the given state, holds the GIL again although its
// ReleaseGil is open: discarding a Python exception in C++ takes the GIL to
// release references.
bool HasGilAgain(PyThreadState* state) {
#if PY_VERSION_HEX >= 0x030D0000
  return PyThreadState_GetUnchecked() == state;
#else
  return _PyThreadState_UncheckedGet() == state;
#endif
}

}  // namespace

// Like PyGILState_Ensure, which must not be called during finalization: it
// would look up this thread in an interpreter that is being destroyed.
TakeGil::TakeGil()
    : outer_(std::exchange(held_line, {})),
      outer_state_(std::exchange(let_go, nullptr)),
      taken_(outer_state_) {
  if (taken_ && HasGilAgain(taken_)) {
    taken_ = nullptr;
    had_ = true;
    return;
  }
  if (!taken_) {
    InterpreterThere looking;
    if (!looking.there()) return;
    had_ = PyGILState_Check() != 0;
    if (had_) return;
    taken_ = PyGILState_GetThisThreadState();
    if (!taken_) {
      made_ = true;
      taken_ = PyThreadState_New(PyInterpreterState_Main());
      if (!taken_) {
        held_line = outer_;
        throw std::bad_alloc();
      }
    }
  }
  PyEval_RestoreThread(taken_);
}

TakeGil::~TakeGil() {
  if (taken_ || had_) region_.End();
  if (made_) {
    PyThreadState_Clear(taken_);
    PyThreadState_DeleteCurrent();
  } else if (taken_) {
    PyEval_SaveThread();
  }
  let_go = outer_state_;
  held_line = outer_;
}

}  // namespace sluice::py
