// Exceptions and elements passed between C++ and Python.
#include "data_parts.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"

namespace sluice::py {

using data::Element;

void Failures::Keep(nb::python_error& error) {
  constexpr size_t kMost = 16;
  std::string text = error.what();  // creates the exception, if needed
  // Before 3.12 the traceback is stored separately.
  if (nb::object trace = nb::borrow(error.traceback()); trace.is_valid()) {
    PyException_SetTraceback(error.value().ptr(), trace.ptr());
  }
  MutexLock lock(mu_);
  if (kept_.size() == kMost) kept_.erase(kept_.begin());
  kept_.push_back({std::move(text), Callback(error.value())});
}

void Failures::Raise(std::string_view message) {
  std::optional<Callback> found;
  {
    MutexLock lock(mu_);
    for (const Failure& f : kept_) {
      if (message.ends_with(f.text)) found = f.exception;
    }
  }
  if (!found) return;
  nb::handle exception = found->object();
  if (PyErr_GivenExceptionMatches(exception.ptr(), PyExc_StopIteration)) {
    // Otherwise the loop over the pipeline would end silently.
    throw std::runtime_error("a function of the pipeline raised StopIteration");
  }
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw nb::python_error();
}

nb::object ElementToPython(const Element& element) {
  if (element.size() == 1) return nb::cast(element[0]);
  nb::list parts;
  for (const Tensor& t : element) parts.append(nb::cast(t));
  return nb::tuple(parts);
}

Element ElementFromPython(nb::handle object, std::string_view what) {
  if (!PyTuple_Check(object.ptr())) return {ToHostTensor(object, what)};
  Element element;
  for (nb::handle part : nb::iter(object)) {
    element.push_back(
        ToHostTensor(part, StrCat(what, ", component ", element.size())));
  }
  if (element.empty()) {
    ThrowValueError(StrCat(what, " is an empty tuple; wanted tensors"));
  }
  return element;
}

}  // namespace sluice::py
