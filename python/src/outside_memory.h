// Elements owned by another library, as arrays of ours: the owner is kept alive
// while an array refers to them, and released under the GIL.
#pragma once

#include <functional>

#include "common.h"
#include "sluice/device/cuda_outside.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// An array over foreign memory. `release` releases the owner; it is called
// once, under the GIL, on the thread that drops the last array. Strides in
// elements.
struct OutsideArray {
  Array array;
  bool readonly = false;
};
OutsideArray LookAt(void* data, DType dtype, const Shape& shape,
                    const Strides& strides, bool readonly,
                    std::function<void()> release);

// The same in GPU memory. Work issued on `maker` so far is ordered before our
// work on the elements; null: the owner has ensured that.
struct OnGpu {
  Device& device;
  Stream* maker = nullptr;
};
OutsideArray LookAt(const OutsideBytes& bytes, const OnGpu& where,
                    bool readonly, std::function<void()> release);

// The same, or a copy if bools are stored as bytes other than 0 and 1: other
// libraries treat any nonzero byte as true.
OutsideArray OfPlainBools(OutsideArray seen);

// A tensor of such an array. Calls recorded for gradients copy what they keep
// of it, because others may write the memory (eager/shared_outside.h).
Tensor TensorOver(const OutsideArray& outside);

// Whether we may not write these elements.
bool IsReadOnly(const Array& array);
// Throws ValueError if they are read-only; `what` names the operation.
void CheckMayWrite(const Tensor& tensor, std::string_view what);

}  // namespace sluice::py
