// The elements of tensors as other libraries see them, without a copy.
#include "tensor_memory.h"

#include "bindings.h"
#include "caller_line.h"
#include "errors.h"
#include "operand.h"
#include "outside_memory.h"
#include "sluice/base/strings.h"
#include "tensor.h"
#include "tensor_values.h"

namespace sluice::py {

namespace {

std::string NumpyType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "|b1";
    case DType::kF16:
      return "<f2";
    case DType::kF32:
      return "<f4";
    case DType::kF64:
      return "<f8";
    case DType::kBF16:
      return "<u2";  // seen as what it is by numpy_view
    case DType::kC64:
      return "<c8";
    default:
      return StrCat(DTypeSize(dtype) == 1 ? "|" : "<",
                    IsSigned(dtype) ? "i" : "u", DTypeSize(dtype));
  }
}

nb::dict Interface(const Elements& e) {
  const Array& a = e.array;
  nb::list shape, strides;
  for (int i = 0; i < a.rank(); ++i) {
    shape.append(a.dim(i));
    strides.append(a.strides()[static_cast<size_t>(i)] * DTypeSize(a.dtype()));
  }
  nb::dict made;
  made["version"] = 3;
  made["typestr"] = NumpyType(a.dtype());
  made["shape"] = nb::tuple(shape);
  if (!a.contiguous()) made["strides"] = nb::tuple(strides);
  made["data"] =
      nb::make_tuple(reinterpret_cast<uintptr_t>(a.raw()), e.readonly);
  return made;
}

bool Repeats(const Array& a) {
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) > 1 && a.strides()[static_cast<size_t>(i)] == 0) return true;
  }
  return false;
}

Elements ForNumpy(const Tensor& t, bool force) {
  const Array& a = ElementsOf(t, "numpy()");
  if (t.requires_grad() && !force) {
    throw Error(FailedPrecondition(
        "numpy() of a tensor that requires gradients, which would not know "
        "what is written there; wanted t.detach().numpy()"));
  }
  if (!IsPlainData(a.dtype())) {
    ThrowTypeError(StrCat("numpy() of a tensor of ", PythonName(a.dtype()),
                          ", the elements of which are not plain numbers"));
  }
  return Export(t);
}

}  // namespace

Elements Export(const Tensor& t) {
  EagerValue& value = *t.eager();
  Elements made{value.array, Repeats(value.array) || IsReadOnly(value.array),
                nullptr};
  if (!made.readonly) {
    made.shared = std::make_shared<SharedOutside>(value, PythonLine());
  }
  return made;
}

void BindTensorMemory(nb::module_& m) {
  nb::class_<Elements>(m, "Elements")
      .def_prop_ro("__array_interface__", &Interface);
  TensorClass().def("_elements", &ForNumpy, "force"_a = false);
  BindTensorDlpack(m);
}

}  // namespace sluice::py
