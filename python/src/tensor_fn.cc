#include "tensor_fn.h"

#include "autograd.h"
#include "errors.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/front/variable.h"

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
  return [call = Callback(f),
          what = std::string(what)](const std::vector<Tensor>& xs) {
    TakeGil gil;
    return TensorList(call(ListOf(xs)), what);
  };
}

}  // namespace sluice::py
