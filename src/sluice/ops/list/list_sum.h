// Shared by kernels of ops on gradients of lists. The gradient of a list is a
// list, too: a missing element is zero, also beyond the end, and a missing list
// (an empty array of dtype `list`) is zero throughout. So no zeros are created
// for elements without a gradient.
#pragma once

#include "sluice/base/strings.h"
#include "sluice/ops/list/list_op.h"
#include "sluice/state/arithmetic.h"

namespace sluice {

// The gradient of a list for writing, as output 0: that of input 0 if this
// launch is its sole holder. Elements have type `dtype` if there was no list.
Result<ListValue*> GradientOutput(KernelContext& ctx, DType dtype);

// Element i of the gradient of input 0; no array: zeros.
Array PartAt(const KernelContext& ctx, int64_t i);

// Adds x to element i of `list`, which grows if necessary, without a copy if
// nobody else holds the element.
Status AddElement(const KernelContext& ctx, ListValue& list, int64_t i,
                  const Array& x);

// Error: "[Op] index is -1; wanted 0 <= index < 67108864".
Status CheckPlace(const KernelContext& ctx, int64_t index);
// The index of input i, checked.
Result<int64_t> PlaceInput(const KernelContext& ctx, int i);

// Output 0 has the sizes in input `dims`; vectors come between the list and it.
Status PartsShape(ShapeContext& c, int dims);
// Checks that element i, if it exists, has a slice's type and size in bytes.
Status CheckPart(const KernelContext& ctx, const Array& part, int64_t i,
                 int64_t bytes);

// Copies elements to `to`, one after the other; `missing` is the size in bytes
// of a missing one.
void LayOutOrZeros(std::span<const Array> parts,
                   std::span<const int64_t> missing, const Array& to);

}  // namespace sluice
