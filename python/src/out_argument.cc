#include "out_argument.h"

#include <string>

#include "errors.h"

namespace sluice::py {

PyObject* WrittenOver(PyObject* result, PyObject* out, std::string_view what) {
  if (!result || !out || out == Py_None) return result;
  nb::object made = nb::steal(result);
  try {
    return nb::module_::import_("sluice._written")
        .attr("written")(made, nb::handle(out), std::string(what))
        .release()
        .ptr();
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

}  // namespace sluice::py
