// Differentiable values: floating-point numbers, real and complex, and lists,
// which may contain such values.
#pragma once

#include "sluice/tensor/dtype.h"

namespace sluice {

inline constexpr DTypeSet kDifferentiable = kFloats | DTypeSet{DType::kC64};

inline bool CarriesGradient(DType dtype) {
  return kDifferentiable.contains(dtype) || dtype == DType::kList;
}

}  // namespace sluice
