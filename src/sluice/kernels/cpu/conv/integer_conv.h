// Convolutions of integers, which wrap around as sums and products of their
// type do: floats would round them. With many channels by tiles
// (integer_tiles.h), with few one line of the result at a time, all products
// that meet in it.
//
// Results do not depend on the number of threads, for the sums wrap.
#pragma once

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/kernel_context.h"

namespace sluice {

// Integer types that convolutions take.
inline constexpr DTypeSet kConvInts{DType::kI8, DType::kI16, DType::kI32,
                                    DType::kI64, DType::kU8};

// Inputs 0 and 1 of the launch are x and w, output 0 is y; says Finish for
// every element. REQUIRES: one of kConvInts.
void IntegerConv(const ConvGeometry& g, const KernelContext& ctx);
int64_t IntegerConvWorkspace(const ConvGeometry& g, DType dtype);

// Inputs 0 and 1 of the launch are y and w, output 0 is x: every element of y
// is spread over the elements of x that it would be computed from. Says Finish
// for every element. REQUIRES: one of kConvInts.
void IntegerConvTranspose(const ConvGeometry& g, const KernelContext& ctx);
int64_t IntegerConvTransposeWorkspace(const ConvGeometry& g, DType dtype);

}  // namespace sluice
