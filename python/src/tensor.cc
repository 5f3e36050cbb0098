#include "tensor.h"

#include "dtype.h"
#include "errors.h"
#include "op_call.h"
#include "operand.h"
#include "tensor_operators.h"

namespace sluice::py {

namespace {

nb::object ShapeTuple(const Tensor& t) {
  PartialShape shape = t.shape();
  if (!shape.rank_known()) return nb::none();
  nb::object tuple = nb::steal(PyTuple_New(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t size = shape.dims()[static_cast<size_t>(i)];
    PyObject* item = Py_None;
    if (size == kUnknownDim) {
      Py_INCREF(item);
    } else {
      item = PyLong_FromLongLong(size);
    }
    PyTuple_SET_ITEM(tuple.ptr(), i, item);
  }
  return tuple;
}

PyObject* tensor_class = nullptr;

}  // namespace

nb::class_<Tensor> TensorClass() {
  return nb::borrow<nb::class_<Tensor>>(tensor_class);
}

void BindTensor(nb::module_& m) {
  nb::class_<Tensor> cls(m, "Tensor", nb::type_slots(TensorSlots()),
                         nb::dynamic_attr(), nb::is_weak_referenceable());
  tensor_class = cls.inc_ref().ptr();
  cls.def_prop_ro("shape", &ShapeTuple)
      .def_prop_ro("dtype",
                   [](const Tensor& t) { return PythonDType(t.dtype()); })
      .def_prop_ro("ndim", &Tensor::rank)
      .def_prop_rw("name", &Tensor::name,
                   [](const Tensor& t, std::string_view n) { t.set_name(n); })
      .def_prop_ro("symbolic", &Tensor::symbolic);
}

}  // namespace sluice::py
