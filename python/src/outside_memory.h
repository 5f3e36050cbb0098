// Elements that belong to another library, as arrays of ours: the owner is kept
// as long as an array looks at them, and let go of under the GIL.
#pragma once

#include <functional>

#include "common.h"
#include "sluice/device/cuda_outside.h"
#include "sluice/tensor/array.h"

namespace sluice::py {

// An array over memory of others. `release` lets go of the owner; it is called
// once, under the GIL, on whatever thread drops the last array. Strides in
// elements.
struct OutsideArray {
  Array array;
  bool readonly = false;
};
OutsideArray LookAt(void* data, DType dtype, const Shape& shape,
                    const Strides& strides, bool readonly,
                    std::function<void()> release);

// The same in the memory of a GPU. What was issued on `maker` so far comes
// before our own work on the elements; null: the owner has seen to that.
struct OnGpu {
  Device& device;
  Stream* maker = nullptr;
};
OutsideArray LookAt(const OutsideBytes& bytes, const OnGpu& where,
                    bool readonly, std::function<void()> release);

// The same, or a copy where bools are other bytes than 0 and 1: other libraries
// take all but zero for true.
OutsideArray OfPlainBools(OutsideArray seen);

// A tensor of such an array. Calls recorded for gradients copy what they keep
// of it, because others may write there (eager/shared_outside.h).
Tensor TensorOver(const OutsideArray& outside);

// Whether these elements are not ours to write.
bool IsReadOnly(const Array& array);
// Throws ValueError when they are; `what` is who wants to.
void CheckMayWrite(const Tensor& tensor, std::string_view what);

}  // namespace sluice::py
