// Elements of tensors that other libraries see without a copy.
#pragma once

#include <memory>

#include "common.h"
#include "sluice/eager/shared_outside.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// One such view, for as long as they have it.
struct Elements {
  Array array;
  bool readonly = false;
  // Lets gradients know of writes nobody tells us about. Null for copies.
  std::shared_ptr<SharedOutside> shared;
};

// REQUIRES: an imperative tensor of plain data.
Elements Export(const Tensor& t);

void BindTensorDlpack(nb::module_& m);

}  // namespace sluice::py
