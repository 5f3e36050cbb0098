// What kernels of the ops on gradients of lists share. The gradient of a list
// is a list, too: an element that is not there is zeros, one that lies beyond
// its end as well, and no list at all (an empty array of dtype `list`) is zeros
// throughout. So nobody makes zeros for what nothing flows into.
#pragma once

#include "sluice/base/strings.h"
#include "sluice/ops/list/list_op.h"
#include "sluice/state/arithmetic.h"

namespace sluice {

// The gradient of a list to be written, as output 0: that of input 0 when this
// launch is alone with it. Elements are of `dtype` where there was no list.
Result<ListValue*> GradientOutput(KernelContext& ctx, DType dtype);

// Element i of the gradient of input 0; no array: zeros.
Array PartAt(const KernelContext& ctx, int64_t i);

// Adds x to element i of `list`, which grows if need be, without a copy where
// the element belongs to nobody else.
Status AddElement(const KernelContext& ctx, ListValue& list, int64_t i,
                  const Array& x);

// Error: "[Op] index is -1; wanted 0 <= index < 67108864".
Status CheckPlace(const KernelContext& ctx, int64_t index);
// The index of input i, checked.
Result<int64_t> PlaceInput(const KernelContext& ctx, int i);

// Output 0 has the sizes that input `dims` says; vectors stand between the list
// and it.
Status PartsShape(ShapeContext& c, int dims);
// Whether element i, if it is there, has a slice's type and size in bytes.
Status CheckPart(const KernelContext& ctx, const Array& part, int64_t i,
                 int64_t bytes);

// Elements in `to`, one after the other; `missing` is the size of one that is
// not there, in bytes.
void LayOutOrZeros(std::span<const Array> parts,
                   std::span<const int64_t> missing, const Array& to);

}  // namespace sluice
