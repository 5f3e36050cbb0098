#include "self_call.h"

#include "caller_line.h"
#include "sluice/trace/region_draft.h"

namespace sluice::py {

namespace {

// Never released.
PyObject* self_call = nullptr;
PyObject* unknown_results = nullptr;

PyObject* NewSignal(const char* name, const char* doc) {
  PyObject* made =
      PyErr_NewExceptionWithDoc(name, doc, PyExc_BaseException, nullptr);
  if (!made) throw nb::python_error();
  return made;
}

void Translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const front_internal::UnknownResults&) {
    SetUnknownResults();
  }
}

}  // namespace

void ThrowSelfCall() {
  PyErr_SetString(self_call, "a captured function calls itself");
  throw nb::python_error();
}

bool IsSelfCall(const nb::python_error& error) {
  return error.matches(self_call);
}

void ThrowPythonError() {
  if (PyErr_ExceptionMatches(unknown_results)) {
    PyErr_Clear();
    throw front_internal::UnknownResults();
  }
  throw nb::python_error();
}

void SetUnknownResults() {
  PyErr_SetString(unknown_results,
                  "what a captured function that calls itself returns is not "
                  "known yet; let this exception pass");
}

void BindSelfCall(nb::module_& m) {
  self_call = NewSignal("sluice._core.SelfCall",
                        "Passes when a captured function is found to call "
                        "itself and is recorded again.");
  unknown_results = NewSignal("sluice._core.UnknownResults",
                              "Passes when a path of a captured function calls "
                              "the function itself.");
  m.attr("SelfCall") = nb::handle(self_call);
  m.attr("UnknownResults") = nb::handle(unknown_results);
  nb::register_exception_translator(&Translate);
}

}  // namespace sluice::py
