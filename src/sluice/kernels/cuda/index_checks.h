// Indices that come as data, checked by kernels of a GPU: the errors are those
// of the CPU's kernels (kernels/cpu/indices.h) and are told after the launch.
//
// Plain functions; any thread.
#pragma once

#include <functional>
#include <string>

#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// As TakeCheck, with a function that may hold something. It is given the
// numbers the kernel left, once, and makes the error's text behind "[Op] ".
using FindingText = std::function<std::string(int64_t place, int64_t value)>;
CUdeviceptr TakeCheckWith(const KernelContext& ctx, FindingText text);

// Slots for a finding of a place and several numbers: the kernel reports the
// place and the first number to slot 0 and one number to each of the others.
// Call CheckIssued as often as there are slots.
using FindingNumbers =
    std::function<std::string(int64_t place, std::span<const int64_t> numbers)>;
void TakeChecksWith(const KernelContext& ctx, FindingNumbers text,
                    std::span<CUdeviceptr> slots);

// "indices[1] is 3; wanted 0 <= index < 3": for kernels that check on the way.
CUdeviceptr TakeIndexCheck(const KernelContext& ctx, int input, int64_t bound);

// Every element of input `input` (i32 or i64) lies in [0, bound).
Status CheckIndicesOnGpu(const KernelContext& ctx, int input, int64_t bound);
// The same, where negative numbers are allowed.
Status CheckIndicesBelowOnGpu(const KernelContext& ctx, int input,
                              int64_t bound);

// Tuples along the last axis of input `input` as places in an array of `shape`,
// -1 for those outside, which are told. REQUIRES: room for one number a tuple.
Status FlattenIndicesOnGpu(const KernelContext& ctx, int input,
                           const Shape& shape, int64_t* rows);

// "using I = int64_t;\n".
std::string IndexType(DType dtype);

}  // namespace sluice
