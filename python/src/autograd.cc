#include "autograd.h"

#include "bindings.h"
#include "compare.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/autocast.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/front/autograd.h"

namespace sluice::py {

nb::object OrNone(Tensor tensor) {
  return tensor.defined() ? nb::cast(std::move(tensor)) : nb::none();
}

Tensor TensorOrNone(nb::handle object, std::string_view what) {
  return object.is_none() ? Tensor() : ToTensor(object, what);
}

void CheckGradient(const Tensor& gradient, const Tensor& value,
                   std::string_view what) {
  if (gradient.dtype() == value.dtype() &&
      gradient.shape().CompatibleWith(value.shape())) {
    return;
  }
  ThrowValueError(StrCat(
      what, " is ", TypeText(gradient.dtype(), gradient.shape()), "; wanted ",
      TypeText(value.dtype(), value.shape()), " as the value has"));
}

namespace {

using front_internal::EagerMode;

// Thread-local modes are set by number, and restored by the code that set them:
// Python's with statements (_autograd.py).
void BindModes(nb::module_& m) {
  m.def(
      "is_grad_enabled", [] { return EagerMode::Current().grad; },
      "Whether calls on this thread are recorded for gradients.");
  m.def(
      "set_grad_mode",
      [](bool on) { return std::exchange(EagerMode::Current().grad, on); },
      "on"_a, "Sets the mode of this thread; returns the one before.");
  m.def(
      "exchange_autocast",
      [](std::optional<DType> dtype) -> std::optional<DType> {
        DType before =
            front_internal::ExchangeAutocast(dtype.value_or(DType::kInvalid));
        if (before == DType::kInvalid) return std::nullopt;
        return before;
      },
      "dtype"_a.none());
  m.def("is_nan_trap_enabled", [] { return EagerMode::Current().nan_trap; });
  m.def(
      "set_nan_trap",
      [](bool on) { return std::exchange(EagerMode::Current().nan_trap, on); },
      "on"_a);
}

}  // namespace

void BindAutograd(nb::module_& m) {
  BindErrors(m);
  BindModes(m);
  m.def("why_no_grad", &why_no_grad, "y"_a, "x"_a);
  BindCompare(m);
  BindGradFn(m);
  BindTensorGrad(m);
}

}  // namespace sluice::py
