#include "raised.h"

namespace sluice::py {

nb::object Normalized(const nb::python_error& error) {
  PyObject* type = error.type().inc_ref().ptr();
  PyObject* value = error.value().inc_ref().ptr();
  PyObject* trace = error.traceback().inc_ref().ptr();
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return nb::steal(value);
}

bool IsRefusal(const nb::python_error& error) {
  nb::object errors = nb::module_::import_("sluice._convert.errors");
  if (error.matches(errors.attr("StagingError"))) return true;
  return error.matches(PyExc_NotImplementedError) &&
         nb::cast<bool>(errors.attr("is_refusal")(Normalized(error)));
}

std::string WhyByValues(const nb::python_error& error) {
  try {
    auto text = nb::cast<std::string>(nb::str(Normalized(error)));
    if (!text.empty()) return text;
  } catch (nb::python_error&) {
  }
  return "it raises";
}

}  // namespace sluice::py
