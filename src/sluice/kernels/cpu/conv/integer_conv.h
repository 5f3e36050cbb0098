// Convolutions of integers, whose sums and products wrap; floats would round
// them. Many channels use tiles (integer_tiles.h). Few channels use one line of
// the result at a time, with all its products.
//
// Results do not depend on the number of threads, because the sums wrap. Any
// thread.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// The integer types of convolutions.
inline constexpr DTypeSet kConvInts{DType::kI8, DType::kI16, DType::kI32,
                                    DType::kI64, DType::kU8};

// Inputs 0 and 1 of the launch are x and w, output 0 is y; calls Finish for
// every element. REQUIRES: one of kConvInts.
void IntegerConv(const ConvGeometry& g, const KernelContext& ctx);
int64_t IntegerConvWorkspace(const ConvGeometry& g, DType dtype);

// Inputs 0 and 1 of the launch are y and w, output 0 is x: every element of y
// is added to the elements of x from which it would be computed. Calls Finish
// for every element. REQUIRES: one of kConvInts.
void IntegerConvTranspose(const ConvGeometry& g, const KernelContext& ctx);
int64_t IntegerConvTransposeWorkspace(const ConvGeometry& g, DType dtype);

}  // namespace sluice
