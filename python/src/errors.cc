#include "errors.h"

#include <cerrno>
#include <cstring>
#include <exception>

#include "caller_line.h"
#include "interrupt_region.h"
#include "sluice/base/foreign_error.h"
#include "sluice/base/system_error.h"

namespace sluice::py {

namespace {

PyObject* cancelled_class = nullptr;
constexpr const char* kCode = "sluice_code";

PyObject* ClassOf(Code code) {
  switch (code) {
    case Code::kOutOfRange:
      return PyExc_IndexError;
    case Code::kNotFound:
      return PyExc_LookupError;
    case Code::kUnimplemented:
      return PyExc_NotImplementedError;
    case Code::kDeadlineExceeded:
      return PyExc_TimeoutError;
    case Code::kResourceExhausted:
      return PyExc_MemoryError;
    case Code::kUnavailable:
      return PyExc_ConnectionError;
    case Code::kInvalidArgument:
    case Code::kAlreadyExists:
    case Code::kDataLoss:
      return PyExc_ValueError;
    case Code::kCancelled:
      return cancelled_class ? cancelled_class : PyExc_RuntimeError;
    default:
      return PyExc_RuntimeError;
  }
}

// An op's error about an element that is invalid as an index: Python has a
// class for that.
bool IsIndexError(const Error& error) {
  if (error.code() != Code::kInvalidArgument) return false;
  std::string_view text = error.what();
  text = text.substr(0, text.find('\n'));
  if (text.size() < 2 || text[0] != '[' || text[1] < 'A' || text[1] > 'Z') {
    return false;
  }
  for (std::string_view says :
       {"; wanted 0 <= index < ", "; wanted indices inside "}) {
    if (text.find(says) != std::string_view::npos) return true;
  }
  return false;
}

void SetError(const Error& error) {
  // A cancellation by a signal raises the exception of its handler.
  if (error.code() == Code::kCancelled && RaisedBySignal()) return;
  if (SetSystemError(error)) return;
  PyObject* kind =
      IsIndexError(error) ? PyExc_IndexError : ClassOf(error.code());
  // Texts are ours or the user's: they are shown whatever bytes they contain.
  PyObject* text = PyUnicode_DecodeUTF8(
      error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())),
      "replace");
  if (!text) return;
  PyObject* value = PyObject_CallOneArg(kind, text);
  Py_DECREF(text);
  if (!value) return;
  std::string code(CodeName(error.code()));
  PyObject* name = PyUnicode_FromString(code.c_str());
  if (!name || PyObject_SetAttrString(value, kCode, name) != 0) PyErr_Clear();
  Py_XDECREF(name);
  PyErr_SetObject(kind, value);
  Py_DECREF(value);
}

// For our own exceptions that pass through C++.
void AddLine(const std::string& line) {
  try {
    throw;
  } catch (nb::python_error& error) {
    TakeGil gil;
    nb::handle value = error.value();
    // A KeyboardInterrupt that was set by class has no instance yet.
    if (!value.is_valid() || !nb::hasattr(value, kCode)) return;
    try {
      auto text = nb::cast<std::string>(nb::str(value));
      value.attr("args") = nb::make_tuple(text + "\n  " + line);
    } catch (nb::python_error&) {
      // Leave it unchanged.
    }
  } catch (...) {
    // Not a Python exception.
  }
}

void Translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    SetError(error);
  }
}

}  // namespace

bool SetSystemError(const Error& error) {
  int number = SystemErrorNumber(error.what());
  if (number == 0 || number == ENOMEM) return false;
  // With an errno, OSError becomes the matching subclass.
  nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())),
      "replace"));
  if (!text.is_valid()) return true;
  nb::object args = nb::make_tuple(number, text);
  PyErr_SetObject(PyExc_OSError, args.ptr());
  return true;
}

void TranslateErrors() {
  nb::register_exception_translator(&Translate);
  add_line_to_foreign_error = &AddLine;
}

void BindErrors(nb::module_& m) {
  cancelled_class = PyErr_NewExceptionWithDoc(
      "sluice.CancelledError",
      "A step was cancelled: its session closed, or another thread stopped it.",
      PyExc_RuntimeError, nullptr);
  if (!cancelled_class) throw nb::python_error();
  m.attr("CancelledError") = nb::handle(cancelled_class);
}

void SetPythonError() {
  try {
    throw;
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const Error& error) {
    SetError(error);
  } catch (const nb::builtin_exception& error) {
    switch (error.type()) {
      case nb::exception_type::type_error:
        PyErr_SetString(PyExc_TypeError, error.what());
        break;
      case nb::exception_type::index_error:
        PyErr_SetString(PyExc_IndexError, error.what());
        break;
      default:
        PyErr_SetString(PyExc_ValueError, error.what());
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void ThrowTypeError(const std::string& message) {
  throw nb::type_error(message.c_str());
}

void ThrowValueError(const std::string& message) {
  throw nb::value_error(message.c_str());
}

}  // namespace sluice::py
