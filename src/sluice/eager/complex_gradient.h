// Gradients do not flow through complex numbers. A tensor with gradients may
// therefore not become complex: nothing further on would remember it, and a
// loss would silently get only a part of its gradient.
#pragma once

#include <span>

#include "sluice/base/status.h"
#include "sluice/base/strings.h"
#include "sluice/op/record.h"

namespace sluice {

inline bool AnyComplex(std::span<const DType> dtypes) {
  for (DType dtype : dtypes) {
    if (dtype == DType::kC64) return true;
  }
  return false;
}

// For a call whose operands have gradients. OK where elements are not read.
inline Status CheckComplex(const OpRecord& op, std::span<const DType> results) {
  if (op.shape_only || !AnyComplex(results)) return OkStatus();
  return FailedPrecondition(
      StrCat("[", op.name,
             "] an operand requires gradients and the result is complex, "
             "through which they do not flow; wanted detach() or no_grad"));
}

}  // namespace sluice
