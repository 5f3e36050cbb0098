#include "errors.h"

#include <exception>

#include "interrupt_region.h"

namespace sluice::py {

namespace {

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
    default:
      return PyExc_RuntimeError;
  }
}

void SetError(const Error& error) {
  // What a signal stopped ends with what its handler raises.
  if (error.code() == Code::kCancelled && RaisedBySignal()) return;
  PyErr_SetString(ClassOf(error.code()), error.what());
}

void Translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    SetError(error);
  }
}

}  // namespace

void TranslateErrors() { nb::register_exception_translator(&Translate); }

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
