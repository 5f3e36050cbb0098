// Reads the attributes strides, padding, dilation and output_padding of
// convolutions and pools for a number of spatial axes. Plain values; any
// thread. A list may have
//   no entry            the default for every axis
//   one entry           the same for every axis
//   one entry per axis
// and padding also two per axis: before and after the first, before and after
// the second and so on.
#pragma once

#include <string>
#include <string_view>

#include "sluice/kernels/cpu/conv/geometry.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// Per axis, not right-aligned. Attributes the op does not have are defaults.
struct ConvWindow {
  ConvAxes stride = {1, 1, 1}, dilation = {1, 1, 1};
  ConvAxes pad_before = {0, 0, 0}, pad_after = {0, 0, 0};
  ConvAxes output_padding = {0, 0, 0};
};

// For kernels: steps longer than any axis are cut to a length that can be
// multiplied. REQUIRES: attributes CheckConvWindow passed.
ConvWindow ConvWindowOf(const Attrs& attrs, int axes);

// Errors: a list of another length, a number out of range.
Result<ConvWindow> CheckConvWindow(const ShapeContext& c, int axes);

// An attribute as one number per axis; an empty list gives `otherwise`.
// Errors: another length, numbers below `least`.
Status ReadAxisList(const ShapeContext& c, std::string_view name, int axes,
                    int64_t otherwise, int64_t least, ConvAxes& to);

// "[1,2]": a list attribute, for messages.
std::string ListText(const ShapeContext& c, std::string_view name);

// Elements a kernel reaches over: (kernel - 1) * dilation + 1.
// False: it overflows.
bool KernelExtent(int64_t kernel, int64_t dilation, int64_t* extent);

}  // namespace sluice
