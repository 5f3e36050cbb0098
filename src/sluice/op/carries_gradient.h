// Which values gradients flow through: floating-point ones, and lists, whose
// elements may be such.
#pragma once

#include "sluice/tensor/dtype.h"

namespace sluice {

inline bool CarriesGradient(DType dtype) {
  return kFloats.contains(dtype) || dtype == DType::kList;
}

}  // namespace sluice
