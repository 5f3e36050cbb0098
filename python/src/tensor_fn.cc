#include "tensor_fn.h"

#include "autograd.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/front/variable.h"
#include "tape_function.h"

namespace sluice::py {

std::vector<Tensor> TensorList(nb::handle list, std::string_view what) {
  std::vector<Tensor> tensors;
  for (nb::handle item : nb::iter(list)) {
    Variable variable;
    if (item.is_none()) {
      tensors.emplace_back();
    } else if (IsTensor(item)) {
      tensors.push_back(AsTensor(item));
    } else if (nb::try_cast<Variable>(item, variable, false)) {
      tensors.push_back(variable.symbolic() ? variable.handle()
                                            : variable.tensor());
    } else {
      tensors.push_back(ToTensor(item, StrCat(what, "[", tensors.size(), "]")));
    }
  }
  return tensors;
}

nb::list ListOf(const std::vector<Tensor>& tensors) {
  nb::list list;
  for (const Tensor& t : tensors) list.append(OrNone(t));
  return list;
}

TensorFn TensorFnOf(nb::handle f, std::string_view what) {
  return ListFunction(f, what);
}

Tensor HookFunction::operator()(const Tensor& gradient) const {
  TakeGil gil;
  constexpr std::string_view kWhat = "hook: what it returned";
  // In a recording, its reads and writes are reported.
  nb::object own = nb::borrow(call_.object());
  if (gradient.symbolic()) {
    own = nb::module_::import_("sluice._flat").attr("called")(own);
  }
  Tensor changed = TensorOrNone(own(gradient), kWhat);
  if (changed.defined()) CheckGradient(changed, gradient, kWhat);
  return changed;
}

std::vector<Tensor> BackwardFunction::operator()(
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& results,
    const std::vector<Tensor>& grads) const {
  TakeGil gil;
  return TensorList(call_(ListOf(inputs), ListOf(results), ListOf(grads)),
                    "what backward returned");
}

std::vector<Tensor> ListFunction::operator()(
    const std::vector<Tensor>& xs) const {
  TakeGil gil;
  return TensorList(call_(ListOf(xs)), what);
}

}  // namespace sluice::py
