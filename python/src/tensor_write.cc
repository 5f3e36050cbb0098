#include "tensor_write.h"

#include "caller_line.h"
#include "errors.h"
#include "op_call.h"
#include "outside_memory.h"
#include "sluice/base/strings.h"
#include "sluice/eager/operand.h"
#include "tensor.h"
#include "written_numbers.h"

namespace sluice::py {

namespace {

// Converts to the target's type, like PyTorch: precision may be lost, but not
// the fraction of a number. Copies convert like Cast, as in numpy.
Tensor AsTypeOf(WriteKind kind, const Tensor& target, Given& value,
                std::string_view what) {
  DType to = target.dtype(), from = value.dtype();
  bool strings = (to == DType::kString) != (from == DType::kString);
  if (strings ||
      (kind != WriteKind::kCopy && NumberKind(from) > NumberKind(to)) ||
      (kind == WriteKind::kDiv && NumberKind(to) < 2)) {
    ThrowTypeError(StrCat(
        what, ": the result would be of another type than the ", PythonName(to),
        " tensor it is written to (the other side is ", PythonName(from),
        "); wanted astype() or an operator that makes a new "
        "tensor"));
  }
  if (value.tensor.defined()) {
    if (from == to) return std::move(value.tensor);
    return CallOne("Cast", {std::move(value)}, {{"dtype", to}});
  }
  if (value.weak) CheckWritten(value.array, to, what, Negatives::kWrap);
  return TensorOf(CastArray(value.array, to));
}

constexpr int64_t kWorthReleasing = 16384;

void Write(WriteKind kind, const Tensor& target, const Tensor& value) {
  switch (kind) {
    case WriteKind::kAdd:
      target.add_(value);
      break;
    case WriteKind::kSub:
      target.sub_(value);
      break;
    case WriteKind::kMul:
      target.mul_(value);
      break;
    case WriteKind::kDiv:
      target.div_(value);
      break;
    case WriteKind::kCopy:
      target.copy_(value);
      break;
  }
}

PyObject* Operator(WriteKind kind, PyObject* a, PyObject* b, const char* what) {
  try {
    if (!IsTensor(a) || b == Py_None || PyUnicode_Check(b) || PyDict_Check(b)) {
      Py_RETURN_NOTIMPLEMENTED;
    }
    const Tensor& target = AsTensor(a);
    // A number has no memory: Python falls back to the operator that makes a
    // new one.
    bool number = target.traced() && target.identity()->traced->number;
    if (number || (target.symbolic() && !target.traced())) {
      Py_RETURN_NOTIMPLEMENTED;
    }
    Given value = Take(b, what);
    WriteInPlace(kind, target, std::move(value), what);
    Py_INCREF(a);
    return a;
  } catch (...) {
    SetPythonError();
    return nullptr;
  }
}

template <WriteKind kind>
nb::object Scaled(nb::handle self, nb::handle other, nb::handle alpha,
                  const char* what) {
  Given value = Take(other, what);
  if (!alpha.is_none()) {
    Given factor = Take(alpha, what);
    value = {CallOne("Mul", {std::move(value), std::move(factor)}), {}, false};
  }
  WriteInPlace(kind, AsTensor(self), std::move(value), what);
  return nb::borrow(self);
}

}  // namespace

void WriteInPlace(WriteKind kind, const Tensor& target, Given value,
                  std::string_view what) {
  if (!target.defined()) ThrowValueError(StrCat(what, " is an empty Tensor"));
  CheckMayWrite(target, what);
  Tensor typed = AsTypeOf(kind, target, value, what);
  if (target.symbolic() || target.num_elements() < kWorthReleasing) {
    Write(kind, target, typed);
  } else {
    ReleaseGil released;
    Write(kind, target, typed);
  }
}

#define SL_IN_PLACE(Function, kind, what)                       \
  PyObject* Function(PyObject* a, PyObject* b) {                \
    return Operator(WriteKind::kind, a, b, "operand of " what); \
  }
SL_IN_PLACE(InPlaceAdd, kAdd, "+=")
SL_IN_PLACE(InPlaceSub, kSub, "-=")
SL_IN_PLACE(InPlaceMul, kMul, "*=")
SL_IN_PLACE(InPlaceDiv, kDiv, "/=")
#undef SL_IN_PLACE

void BindTensorWrite(nb::module_&) {
  TensorClass()
      .def(
          "add_",
          [](nb::handle self, nb::handle other, nb::handle alpha) {
            return Scaled<WriteKind::kAdd>(self, other, alpha, "add_(): other");
          },
          "other"_a, nb::kw_only(), "alpha"_a = nb::none(),
          "Adds other (times alpha) in place.")
      .def(
          "sub_",
          [](nb::handle self, nb::handle other, nb::handle alpha) {
            return Scaled<WriteKind::kSub>(self, other, alpha, "sub_(): other");
          },
          "other"_a, nb::kw_only(), "alpha"_a = nb::none(),
          "Subtracts other (times alpha) in place.")
      .def(
          "mul_",
          [](nb::handle self, nb::handle other) {
            return Scaled<WriteKind::kMul>(self, other, nb::none(),
                                           "mul_(): other");
          },
          "other"_a, "Multiplies with other in place.")
      .def(
          "div_",
          [](nb::handle self, nb::handle other) {
            return Scaled<WriteKind::kDiv>(self, other, nb::none(),
                                           "div_(): other");
          },
          "other"_a, "Divides by other in place.")
      .def(
          "copy_",
          [](nb::handle self, nb::handle source) {
            return Scaled<WriteKind::kCopy>(self, source, nb::none(),
                                            "copy_(): source");
          },
          "source"_a, "Overwrites the elements with those of source.")
      .def(
          "fill_",
          [](nb::handle self, nb::handle value) {
            constexpr const char* kWhat = "fill_(): value";
            if (IsTensor(value)) {
              const Tensor& t = AsTensor(value);
              if (t.rank() > 0) {
                ThrowValueError(StrCat(kWhat, " is ",
                                       TypeText(t.dtype(), t.shape()),
                                       "; wanted one number"));
              }
              CheckWritten(t, AsTensor(self).dtype(), kWhat);
            }
            return Scaled<WriteKind::kCopy>(self, value, nb::none(), kWhat);
          },
          "value"_a, "Overwrites every element with a value.")
      .def(
          "zero_",
          [](nb::handle self) {
            CheckMayWrite(AsTensor(self), "zero_()");
            AsTensor(self).zero_();
            return nb::borrow(self);
          },
          "Overwrites every element with 0.");
}

}  // namespace sluice::py
