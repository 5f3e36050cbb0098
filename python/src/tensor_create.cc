// Tensors made from Python objects.
#include "attr_value.h"
#include "bindings.h"
#include "caller_line.h"
#include "errors.h"
#include "foreign_array.h"
#include "op_call.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/default_float.h"
#include "sluice/eager/manual_seed.h"
#include "sluice/eager/scope.h"
#include "sluice/trace/capture.h"
#include "sluice/trace/region_draft.h"
#include "written_numbers.h"

namespace sluice::py {

namespace {

// Imperatively a tensor with elements; while a graph is built, a constant.
Tensor Made(Array array, std::string_view name = {}) {
  if (front_internal::Building::Current().graph) {
    return constant(Literal(std::move(array)), name);
  }
  bool moves = IsPlainData(array.dtype());
  Tensor made = TensorOf(std::move(array));
  Device* device = moves && !made.symbolic() ? MakingDevice() : nullptr;
  if (device) made = made.to(device->name_text());
  if (!name.empty()) made.set_name(name);
  return made;
}

Tensor FromData(nb::handle data, nb::handle dtype, bool requires_grad,
                std::string_view name) {
  DType wanted = dtype.is_none() ? DType::kInvalid : DTypeFromPython(dtype);
  Tensor made;
  Given given = Take(data, "tensor(): data");
  if (given.tensor.defined() &&
      (given.weak || front_internal::IsNumber(given.tensor))) {
    // Sizes of a function being recorded, and numbers it computes, are treated
    // like others.
    DType own = front_internal::WrittenType(given.dtype());
    DType to = wanted == DType::kInvalid ? own : wanted;
    made = CallOne("Cast", {std::move(given)}, {{"dtype", to}});
    if (requires_grad) made.requires_grad_();
    return made;
  }
  if (given.tensor.defined()) {
    // Also for tensors of a graph, and lists of tensors: a new tensor with the
    // same elements, treated as a constant. In recorded code, with those of
    // each call.
    if (given.tensor.traced() || Capture::Open()) {
      made = given.tensor.detach().clone();
      if (wanted != DType::kInvalid && wanted != made.dtype()) {
        made = CallOne("Cast", {{made, {}, false}}, {{"dtype", wanted}});
      }
      if (requires_grad) made.requires_grad_();
      return made;
    }
    if (given.tensor.symbolic()) {
      made = wanted == DType::kInvalid || wanted == given.tensor.dtype()
                 ? given.tensor
                 : Tensor();
      if (!made.defined()) {
        ThrowTypeError(
            "tensor(): data is part of a graph; wanted astype() for another "
            "type");
      }
      return made;
    }
    made =
        Made(ArrayOf(nb::cast(given.tensor), "tensor(): data", wanted), name);
  } else {
    if (wanted == DType::kInvalid) {
      wanted = given.array.dtype();
      if (given.weak) wanted = front_internal::WrittenType(wanted);
    }
    if (given.weak) {
      CheckWritten(given.array, wanted, "tensor(): data", Negatives::kRefused);
    }
    made = Made(CastArray(given.array, wanted), name);
  }
  if (requires_grad) made.requires_grad_();
  return made;
}

// The same on the given device, like PyTorch's tensor().
Tensor FromDataOn(nb::handle data, nb::handle dtype, bool requires_grad,
                  std::string_view name, nb::handle device) {
  if (device.is_none()) return FromData(data, dtype, requires_grad, name);
  nb::object found =
      nb::module_::import_("sluice._array.device").attr("check_device")(device);
  Tensor made =
      FromData(data, dtype, false, name).to(nb::cast<std::string>(found));
  if (requires_grad) made.requires_grad_();
  return made;
}

// Anything an op accepts, as a value for a tensor of that type.
Tensor ValueAs(nb::handle value, nb::handle dtype, std::string_view what) {
  Given given = Take(value, what);
  DType to = DTypeFromPython(dtype);
  if (given.weak && !given.tensor.defined()) {
    CheckWritten(given.array, to, what, Negatives::kWrap);
    // Not by way of the default type, which is less precise than f64.
    given.array = CastArray(given.array, to);
    given.weak = false;
    given.typed = true;
  } else if (given.tensor.defined()) {
    CheckWritten(given.tensor, to, what);
  }
  return CallOne("Cast", {std::move(given)}, {{"dtype", to}});
}

bool AllInts(nb::handle tuple) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.ptr()); ++i) {
    if (!PyLong_CheckExact(PyTuple_GET_ITEM(tuple.ptr(), i))) return false;
  }
  return true;
}

}  // namespace

void BindTensorCreate(nb::module_& m) {
  m.def("tensor", &FromDataOn, "data"_a.none(), "dtype"_a = nb::none(),
        "requires_grad"_a = false, "name"_a = "", "device"_a = nb::none(),
        "A tensor of its own with the elements of data: numbers, nested lists, "
        "arrays, tensors.\n\nPython's floats become float32 "
        "(get_default_dtype), its "
        "ints int64; arrays keep their type.");
  m.def("value_as", &ValueAs, "value"_a, "dtype"_a, "what"_a,
        "A value to be put into a tensor of that type.");
  m.def(
      "shared_tensor",
      [](nb::handle data) -> nb::object {
        if (IsTensor(data)) return nb::borrow(data);
        OutsideArray seen = LookAtForeign(data);
        if (!seen.array) return nb::none();
        return nb::cast(TensorOver(seen));
      },
      "data"_a.none(),
      "A tensor over the elements of an array of another library; None when "
      "the object is no such thing.");
  m.def(
      "full",
      [](nb::handle shape, nb::handle value, nb::handle dtype) {
        static const OpRecord& op = OpNamed("Fill");
        Tensor element = FromData(value, dtype, false, {});
        Given sizes;
        if (PyTuple_CheckExact(shape.ptr()) && AllInts(shape)) {
          std::vector<int64_t> dims = IntsFromPython(shape, "full(): shape");
          sizes.array = Array::Vector(dims);
        } else {
          sizes = Take(shape, "full(): shape");
        }
        Given inputs[] = {std::move(sizes), {std::move(element), {}, false}};
        return std::move(CallOp(op, inputs, {}).tensors[0]);
      },
      "shape"_a, "value"_a, "dtype"_a = nb::none());
  m.def("default_float",
        [] { return PythonDType(front_internal::DefaultFloat()); });
  m.def(
      "set_default_float",
      [](nb::handle dtype) {
        front_internal::SetDefaultFloat(DTypeFromPython(dtype));
      },
      "dtype"_a);
  m.def("manual_seed", &manual_seed, "seed"_a);
  m.def("random_state", [] {
    RandomState now = random_state();
    return nb::make_tuple(now.seed, now.calls);
  });
  m.def(
      "set_random_state",
      [](uint64_t seed, int64_t calls) { set_random_state({seed, calls}); },
      "seed"_a, "calls"_a);
}

}  // namespace sluice::py
