#include "code.h"

#include "op_call.h"
#include "operand.h"
#include "self_call.h"
#include "sluice/base/strings.h"
#include "sluice/eager/default_float.h"
#include "sluice/eager/scope.h"
#include "sluice/front/control_flow.h"
#include "weak_numbers.h"

namespace sluice::py {

namespace {

// In a graph, a constant of it; otherwise a tensor with elements.
Tensor Constant(Array array) {
  if (!front_internal::Building::Current().graph) return TensorOf(array);
  return front_internal::AsTensor(Operand(std::move(array)));
}

}  // namespace

bool Fits(DType from, DType to) {
  return NumberKind(to) < 4 && NumberKind(from) <= NumberKind(to);
}

Parts TakeParts(nb::handle tree, std::string_view what,
                std::span<const DType> like) {
  Parts parts;
  parts.tree = TreeDef::Flatten(tree, parts.leaves);
  for (size_t k = 0; k < parts.leaves.size(); ++k) {
    Given given = Take(parts.leaves[k], what);
    bool number = WeakNumbers::Has(given.tensor) ||
                  (given.weak && given.tensor.defined());
    parts.weak.push_back(number || (given.weak && !given.tensor.defined()));
    if (number) {
      // From here on it is a normal tensor.
      DType wanted = front_internal::WrittenType(given.dtype());
      if (k < like.size() && Fits(wanted, like[k])) wanted = like[k];
      parts.tensors.push_back(CallOne("Cast", {given}, {{"dtype", wanted}}));
      continue;
    }
    if (given.tensor.defined()) {
      parts.tensors.push_back(std::move(given.tensor));
      continue;
    }
    DType wanted = given.array.dtype();
    if (given.weak) wanted = front_internal::WrittenType(wanted);
    if (given.weak && k < like.size() && Fits(wanted, like[k])) {
      wanted = like[k];
    }
    parts.tensors.push_back(Constant(CastArray(given.array, wanted)));
  }
  return parts;
}

nb::object Together(const TreeDef& tree, std::span<const Tensor> tensors) {
  std::vector<nb::object> leaves;
  leaves.reserve(tensors.size());
  for (const Tensor& t : tensors) leaves.push_back(Wrap(t));
  return tree.Unflatten(leaves);
}

void RethrowFromIteration(nb::python_error& error, int64_t iteration) {
#if PY_VERSION_HEX >= 0x030B0000  // where exceptions have notes
  std::string note =
      StrCat("in iteration ", iteration, " of the loop at ", PythonLine());
  error.restore();
  if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();
#if PY_VERSION_HEX >= 0x030C0000
  nb::object value = nb::steal(PyErr_GetRaisedException());
  value.attr("add_note")(note);
  PyErr_SetRaisedException(value.release().ptr());
#else
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  nb::borrow(value).attr("add_note")(note);
  PyErr_Restore(type, value, trace);
#endif
#else
  (void)iteration;
  error.restore();
#endif
  throw nb::python_error();
}

nb::object CallCode(nb::handle callable, nb::handle arguments) {
  // A loop that never lets go of the GIL would not see a signal that another
  // thread was given while Python's own handler stands (interrupt.cc).
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  PyObject* result =
      PyObject_Call(callable.ptr(), arguments.ptr(), /*kwargs=*/nullptr);
  if (!result) ThrowPythonError();
  return nb::steal(result);
}

}  // namespace sluice::py
