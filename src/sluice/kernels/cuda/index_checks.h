// Checks of indices as data by GPU kernels: the errors are those of the CPU
// kernels (kernels/cpu/indices.h), reported after the launch.
//
// Plain functions; any thread.
#pragma once

#include <functional>
#include <string>

#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

// As TakeCheck, with a function object. It is called once with the numbers that
// the kernel wrote, and returns the error text after "[Op] ".
using FindingText = std::function<std::string(int64_t place, int64_t value)>;
CUdeviceptr TakeCheckWith(const KernelContext& ctx, FindingText text);

// Slots for an error with a position and several numbers: the kernel writes the
// position and the first number to slot 0, and one number to each of the
// others. Call CheckIssued once per slot.
using FindingNumbers =
    std::function<std::string(int64_t place, std::span<const int64_t> numbers)>;
void TakeChecksWith(const KernelContext& ctx, FindingNumbers text,
                    std::span<CUdeviceptr> slots);

// "indices[1] is 3; wanted 0 <= index < 3": for kernels that check while they
// work.
CUdeviceptr TakeIndexCheck(const KernelContext& ctx, int input, int64_t bound);

// Checks that every element of input `input` (i32 or i64) is in [0, bound).
Status CheckIndicesOnGpu(const KernelContext& ctx, int input, int64_t bound);
// The same, but negative numbers are allowed.
Status CheckIndicesBelowOnGpu(const KernelContext& ctx, int input,
                              int64_t bound);

// Tuples along the last axis of input `input` as positions in an array of
// `shape`, -1 for those out of bounds, which are reported. REQUIRES: room for
// one number per tuple.
Status FlattenIndicesOnGpu(const KernelContext& ctx, int input,
                           const Shape& shape, int64_t* rows);

// "using I = int64_t;\n".
std::string IndexType(DType dtype);

}  // namespace sluice
