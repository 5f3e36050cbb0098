// The types that a GPU's tensor cores multiply. Plain functions; any thread.
#pragma once

#include "sluice/device/tf32.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

inline bool ByTensorCores(DType dtype) {
  return dtype == DType::kBF16 || dtype == DType::kF16 ||
         (dtype == DType::kF32 && Tf32Allowed());
}

}  // namespace sluice
