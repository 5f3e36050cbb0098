#include "tensor.h"

#include "dtype.h"
#include "errors.h"
#include "op_call.h"
#include "operand.h"
#include "size.h"
#include "sluice/base/strings.h"
#include "sluice/eager/default_float.h"
#include "sluice/trace/region_draft.h"
#include "tensor_attributes.h"
#include "tensor_operators.h"
#include "tensor_text.h"
#include "tensor_values.h"

namespace sluice::py {

namespace {

nb::object SizeOrNone(int64_t size) {
  return size < 0 ? nb::none() : nb::object(nb::int_(size));
}

nb::object ShapeTuple(const Tensor& t) {
  PartialShape shape = t.shape();
  if (!shape.rank_known()) return nb::none();
  nb::object tuple = nb::steal(PyTuple_New(shape.rank()));
  for (int i = 0; i < shape.rank(); ++i) {
    int64_t size = shape.dims()[static_cast<size_t>(i)];
    nb::object known =
        size >= 0 ? nb::object(nb::int_(size)) : SizeOfAxis(t, i);
    PyTuple_SET_ITEM(tuple.ptr(), i, known.release().ptr());
  }
  return tuple;
}

// In bytes, like numpy.
nb::object StridesTuple(const Tensor& t) {
  const Array& a = t.array();
  nb::list strides;
  for (int i = 0; i < a.rank(); ++i) {
    strides.append(a.strides()[static_cast<size_t>(i)] * DTypeSize(a.dtype()));
  }
  return nb::tuple(strides);
}

// In elements, like PyTorch.
nb::object Stride(const Tensor& t, nb::handle axis) {
  const Array& a = t.array();
  nb::list strides;
  for (int i = 0; i < a.rank(); ++i) {
    strides.append(a.strides()[static_cast<size_t>(i)]);
  }
  if (axis.is_none()) return nb::tuple(strides);
  return nb::object(strides).attr("__getitem__")(axis);
}

int64_t Bytes(const Tensor& t) {
  int64_t count = t.num_elements();
  return count < 0 ? -1 : count * DTypeSize(t.dtype());
}

// Tensor(data): a new tensor that shares the elements of a tensor; other data
// is copied, with numbers as floats, like PyTorch's class. The base constructor
// of derived classes.
void Init(Tensor* self, nb::handle data, nb::handle dtype) {
  DType wanted = dtype.is_none() ? DType::kInvalid : DTypeFromPython(dtype);
  if (IsTensor(data)) {
    const Tensor& given = AsTensor(data);
    if (!given.defined()) ThrowValueError("Tensor(): data is an empty Tensor");
    if (wanted == DType::kInvalid || wanted == given.dtype()) {
      new (self) Tensor(given.symbolic() ? given : given.detach());
      return;
    }
  }
  Array made = ArrayOf(data, "Tensor(): data", wanted);
  bool numbers = wanted == DType::kInvalid && IsPlainData(made.dtype());
  if (numbers && !IsTensor(data))
    made = CastArray(made, front_internal::DefaultFloat());
  new (self) Tensor(TensorOf(std::move(made)));
}

// Tensor(2, 3): float zeros of these sizes.
void InitSizes(Tensor* self, const nb::args& sizes) {
  std::vector<int64_t> dims;
  for (nb::handle size : sizes) {
    if (!PyLong_CheckExact(size.ptr())) throw nb::next_overload();
    dims.push_back(nb::cast<int64_t>(size));
    if (dims.back() < 0) {
      ThrowValueError("Tensor(): a size is " + std::to_string(dims.back()) +
                      "; wanted sizes of 0 or more");
    }
  }
  if (dims.empty()) throw nb::next_overload();
  Shape shape = ValueOrThrow(Shape::Make(dims));
  new (self)
      Tensor(TensorOf(Array::Zeros(front_internal::DefaultFloat(), shape)));
}

PyObject* tensor_class = nullptr;

// Type, sizes and memory layout.
void BindLayout(nb::class_<Tensor>& cls) {
  cls.def_prop_ro("shape", &ShapeTuple,
                  "The sizes of its axes. In a function being recorded they "
                  "may be SymInts; in other graphs one that is not known "
                  "before a step runs is None.")
      .def_prop_ro(
          "dtype", [](const Tensor& t) { return PythonDType(t.dtype()); },
          "The type of its elements.")
      .def_prop_ro("ndim", &Tensor::rank, "How many axes it has.")
      .def_prop_ro(
          "nbytes", [](const Tensor& t) { return SizeOrNone(Bytes(t)); },
          "Bytes of all elements.")
      .def_prop_ro(
          "itemsize", [](const Tensor& t) { return DTypeSize(t.dtype()); },
          "Bytes of one element.")
      .def_prop_ro("strides", &StridesTuple,
                   "Bytes from one element to the next, for each axis.")
      .def("stride", &Stride, "dim"_a = nb::none(),
           "Elements to step over to get to the next, for each axis or one.")
      .def(
          "numel", [](const Tensor& t) { return CountOf(t); },
          "The number of elements.")
      .def(
          "element_size", [](const Tensor& t) { return DTypeSize(t.dtype()); },
          "Bytes of one element.")
      .def("dim", &Tensor::rank, "How many axes it has.")
      .def(
          "is_contiguous",
          [](const Tensor& t) {
            return t.traced() ? t.identity()->traced->contiguous
                              : t.array().contiguous();
          },
          "Whether its elements lie one after the other in row-major order.")
      .def(
          "data_ptr",
          [](const Tensor& t) {
            return reinterpret_cast<uintptr_t>(t.array().address());
          },
          "The address of the first element.")
      .def("is_floating_point",
           [](const Tensor& t) { return IsFloating(t.dtype()); })
      .def("is_complex",
           [](const Tensor& t) { return t.dtype() == DType::kC64; });
}

// Properties in a graph, or in a function being recorded.
void BindPlaceInGraph(nb::class_<Tensor>& cls) {
  cls.def_prop_rw(
         "name", &Tensor::name,
         [](const Tensor& t, std::string_view n) { t.set_name(n); },
         "Its name in the graph; imperatively the name it was given.")
      .def_prop_ro("symbolic", &Tensor::symbolic,
                   "Whether it is part of a graph, with elements only while a "
                   "step runs.")
      .def_prop_rw(
          "_number", &front_internal::IsNumber,
          [](const Tensor& t, bool) { front_internal::SetNumber(t); },
          "Stands for a number of Python's in a function being recorded.")
      .def_prop_ro(
          "_deferred",
          [](const Tensor& t) { return t.symbolic() && !t.traced(); },
          "Part of a graph that no function is recorded into: it has no "
          "history of its own.");
}

void SetPrintOptions(std::optional<int> precision,
                     std::optional<int64_t> threshold,
                     std::optional<int64_t> edgeitems,
                     std::optional<int> linewidth) {
  PrintOptions& now = PrintOptionsNow();
  if (precision && (*precision < 0 || *precision > 17)) {
    ThrowValueError(StrCat("set_printoptions(): precision is ", *precision,
                           "; wanted 0 to 17"));
  }
  if ((threshold && *threshold < 0) || (edgeitems && *edgeitems < 1) ||
      (linewidth && *linewidth < 1)) {
    ThrowValueError("set_printoptions(): wanted positive numbers");
  }
  if (precision) now.precision = *precision;
  if (threshold) now.threshold = *threshold;
  if (edgeitems) now.edge = *edgeitems;
  if (linewidth) now.line_width = *linewidth;
}

}  // namespace

nb::class_<Tensor> TensorClass() {
  return nb::borrow<nb::class_<Tensor>>(tensor_class);
}

void BindTensor(nb::module_& m) {
  nb::class_<Tensor> cls(m, "Tensor", nb::type_slots(TensorSlots()),
                         nb::dynamic_attr(), nb::is_weak_referenceable());
  tensor_class = cls.inc_ref().ptr();
  cls.doc() =
      "Elements of one type along axes: values that are there now, or what a "
      "graph will compute.\n\nMade by sluice.tensor, zeros, arange and their "
      "kin, and by every op.";
  cls.def("__init__", &InitSizes, "sizes"_a)
      .def("__init__", &Init, "data"_a, "dtype"_a = nb::none());
  BindLayout(cls);
  BindPlaceInGraph(cls);
  cls.def("__repr__", &TensorText);
  BindTensorValues(m);
  BindTensorAttributes(m);
  m.def(
      "set_printoptions", &SetPrintOptions, nb::kw_only(),
      "precision"_a = nb::none(), "threshold"_a = nb::none(),
      "edgeitems"_a = nb::none(), "linewidth"_a = nb::none(),
      "How tensors print: digits behind the point, how many elements are shown "
      "in full, how many at the edges of larger ones, characters to a line.");
}

}  // namespace sluice::py
