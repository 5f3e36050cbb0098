#include "operand.h"

#include <complex>

#include "caller_line.h"
#include "errors.h"
#include "foreign_array.h"
#include "nested_list.h"
#include "op_call.h"
#include "size.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/default_float.h"
#include "sluice/eager/scope.h"
#include "sluice/front/variable.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/trace_call.h"
#include "tensor_values.h"
#include "written_numbers.h"

namespace sluice::py {

namespace {

std::string TypeName(nb::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
}

[[noreturn]] void NoOperand(nb::handle object, std::string_view what) {
  ThrowTypeError(std::string(what) + " is a " + TypeName(object) +
                 "; wanted a Tensor, a number, a list of numbers or an array");
}

// A Python number; false if it is none.
bool FromNumber(PyObject* o, std::string_view what, Array* out) {
  if (PyBool_Check(o)) {
    *out = Array::Scalar<bool>(o == Py_True);
  } else if (PyFloat_Check(o)) {
    *out = Array::Scalar<double>(PyFloat_AS_DOUBLE(o));
  } else if (PyLong_Check(o)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow > 0) {
      unsigned long long large = PyLong_AsUnsignedLongLong(o);
      if (!PyErr_Occurred()) {
        *out = Array::Scalar<uint64_t>(large);
        return true;
      }
      PyErr_Clear();
    }
    if (overflow != 0) {
      ThrowValueError(std::string(what) + " is " +
                      nb::cast<std::string>(nb::repr(o)) +
                      "; wanted a number of at most 64 bits");
    }
    *out = Array::Scalar<int64_t>(value);
  } else if (PyComplex_Check(o)) {
    *out = Array::Scalar<complex64>(
        complex64(static_cast<float>(PyComplex_RealAsDouble(o)),
                  static_cast<float>(PyComplex_ImagAsDouble(o))));
  } else {
    return false;
  }
  return true;
}

}  // namespace

namespace {

// nanobind would look it up by name each time.
PyTypeObject* TensorType() {
  static auto* type = reinterpret_cast<PyTypeObject*>(nb::type<Tensor>().ptr());
  return type;
}

}  // namespace

bool IsTensor(nb::handle object) {
  PyTypeObject* type = Py_TYPE(object.ptr());
  // An object that was never fully constructed holds no tensor, whatever its
  // class.
  return (type == TensorType() || PyType_IsSubtype(type, TensorType())) &&
         nb::inst_ready(object);
}

nb::object Wrap(Tensor tensor) {
  nb::object made = nb::inst_alloc(reinterpret_cast<PyObject*>(TensorType()));
  const Graph* graph = GraphBehind(tensor);
  new (nb::inst_ptr<Tensor>(made)) Tensor(std::move(tensor));
  nb::inst_mark_ready(made);
  if (graph) [[unlikely]]
    KeepGraph(made, *graph);
  return made;
}

Tensor& AsTensor(nb::handle object) {
  if (!IsTensor(object)) [[unlikely]] {
    if (PyType_IsSubtype(Py_TYPE(object.ptr()), TensorType())) {
      ThrowTypeError("a " + TypeName(object) +
                     " holds no tensor: its class has an __init__ that does "
                     "not call super().__init__()");
    }
    ThrowTypeError("self is a " + TypeName(object) + "; wanted a Tensor");
  }
  return *nb::inst_ptr<Tensor>(object);
}

Tensor TensorOf(Array array) {
  // A tensor made by recorded code is made by every call.
  if (Capture* capture = Capture::Open()) {
    return Tensor(capture->Make(TraceConstant(*capture, array), PythonLine(),
                                {}, /*tainted=*/false));
  }
  EagerRef value = MakeRef<EagerValue>(std::move(array));
  value->line = PythonLine();
  return Tensor(std::move(value));
}

Array CastArray(const Array& array, DType dtype) {
  if (array.dtype() == dtype) return array;
  CheckReal(array, dtype);
  const Array inputs[] = {array};
  std::vector<Array> made = ValueOrThrow(
      RunOp(*ValueOrThrow(LookupOp("Cast")), {{"dtype", dtype}}, inputs));
  return std::move(made[0]);
}

Given Take(nb::handle object, std::string_view what) {
  if (IsTensor(object)) {
    const Tensor& tensor = AsTensor(object);
    if (!tensor.defined())
      ThrowValueError(std::string(what) + " is an empty Tensor");
    return {tensor, {}, false};
  }
  Given given;
  if (FromNumber(object.ptr(), what, &given.array)) {
    given.weak = true;
    return given;
  }
  if (IsSymbol(object)) return {SymbolTensor(object), {}, true};
  if (Variable variable; nb::try_cast<Variable>(object, variable, false)) {
    return {variable.read(), {}, false};
  }
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    if (IsSizes(object)) return {SizesVector(object), {}, true};
    NestedList nested = ReadNested(object, what);
    return {std::move(nested.tensor), std::move(nested.array), nested.weak};
  }
  if (PyRange_Check(object.ptr())) {
    nb::object list = nb::steal(PySequence_List(object.ptr()));
    if (!list.is_valid()) throw nb::python_error();
    NestedList nested = ReadNested(list, what);
    return {std::move(nested.tensor), std::move(nested.array), nested.weak};
  }
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    given.array = StringScalar(object);
    return given;
  }
  given.array = FromForeign(object, /*share=*/false);
  if (!given.array) NoOperand(object, what);
  return given;
}

Array ArrayOf(nb::handle object, std::string_view what, DType dtype) {
  Given given = Take(object, what);
  Array array = given.array;
  // In recorded code the elements are a guard, or decided by value.
  if (given.tensor.defined()) array = ElementsNow(given.tensor, what);
  if (dtype == DType::kInvalid) {
    // Float literals have the default type, like most tensors.
    dtype = array.dtype();
    if (given.weak) dtype = front_internal::WrittenType(dtype);
  }
  if (array.dtype() != dtype) {
    if (given.weak) CheckWritten(array, dtype, what, Negatives::kRefused);
    return CastArray(array, dtype);
  }
  return given.tensor.defined() ? ValueOrThrow(array.Clone()) : array;
}

Array SharedArrayOf(nb::handle object, std::string_view what) {
  if (IsTensor(object)) return AsTensor(object).array();
  if (Array shared = FromForeign(object, /*share=*/true)) return shared;
  return ArrayOf(object, what);
}

namespace {

// The operand as a tensor; float literals have the default type.
Tensor TensorOfGiven(Given given) {
  if (given.tensor.defined()) {
    bool doubles = given.weak && given.tensor.dtype() == DType::kF64;
    if (!doubles) return given.tensor;
    given.weak = false;
    return CallOne("Cast", {std::move(given)},
                   {{"dtype", front_internal::DefaultFloat()}});
  }
  if (given.weak && given.array.dtype() == DType::kF64) {
    given.array = CastArray(given.array, front_internal::DefaultFloat());
  }
  return TensorOf(std::move(given.array));
}

}  // namespace

Tensor ToTensor(nb::handle object, std::string_view what) {
  Given given = Take(object, what);
  bool made = !given.tensor.defined();
  Tensor tensor = TensorOfGiven(std::move(given));
  if (!made || tensor.symbolic() || !IsPlainData(tensor.dtype()) ||
      front_internal::Building::Current().graph) {
    return tensor;
  }
  // Numbers can be used on any device; some are needed on the host.
  const Device* device = tensor.rank() > 0 ? MakingDevice() : nullptr;
  return device ? tensor.to(device->name_text()) : tensor;
}

Tensor ToHostTensor(nb::handle object, std::string_view what) {
  return TensorOfGiven(Take(object, what));
}

}  // namespace sluice::py
