// The type of floats that nobody gave one: f32, unless a program set another.
// One for the process; any thread may ask or set.
#pragma once

#include "sluice/tensor/dtype.h"

namespace sluice::front_internal {

DType DefaultFloat();
// REQUIRES: a floating type.
void SetDefaultFloat(DType dtype);

// Of numbers that meet no tensor: those with a fraction are of the default.
inline DType WrittenType(DType dtype) {
  return dtype == DType::kF64 ? DefaultFloat() : dtype;
}

}  // namespace sluice::front_internal
