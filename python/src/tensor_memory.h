// Elements of tensors shared with other libraries without a copy.
#pragma once

#include <memory>

#include "common.h"
#include "sluice/eager/shared_outside.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// One exported view; lives as long as the other library uses it.
struct Elements {
  Array array;
  bool readonly = false;
  // Lets gradients detect writes that are not reported. Null for copies.
  std::shared_ptr<SharedOutside> shared;
};

// REQUIRES: an imperative tensor of plain data.
Elements Export(const Tensor& t);

void BindTensorDlpack(nb::module_& m);

}  // namespace sluice::py
