// Shared by kernels of list ops: reading the list of input 0, writing it, and
// copying elements side by side. A kernel checks everything before it writes,
// because the list may be written in place.
#pragma once

#include <span>

#include "sluice/op/grad_context.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/tensor/list.h"

namespace sluice {

// The types of elements.
inline constexpr DTypeSet kElements = kAnyData | DTypeSet{DType::kList};

// Every output a scalar; inputs 0 to `scalars` - 1 must be scalars, too.
template <int scalars>
Status ListShapes(ShapeContext& c) {
  for (int i = 0; i < scalars; ++i) SL_RETURN_IF_ERROR(c.WantRank(i, 0));
  return shapes::scalar(c);
}

// The list of an input. Error: "[Op] list is list[2]; wanted a list".
Result<const ListValue*> ListInput(const KernelContext& ctx, int i = 0);
// The same, of elements of attribute `dtype`.
Result<const ListValue*> TypedListInput(const KernelContext& ctx);
// The attribute `dtype` in a shape function: one of kElements, or of kAnyData
// if elements are copied side by side.
Status CheckElementType(const ShapeContext& c, DTypeSet allowed);

// The list of input 0 to be written, as output 0: itself when this launch is
// alone with it.
Result<ListValue*> ListOutput(KernelContext& ctx);

// "[Op] index is 5; wanted 0 <= index < 3, the size of the list".
Status IndexError(const KernelContext& ctx, int64_t index, int64_t size);
// The scalar index of input i. Error: outside 0..size-1.
Result<int64_t> IndexInput(const KernelContext& ctx, int i, int64_t size);

// The scalar size of input i. Error: "[Op] size is -1; wanted 0 or more".
Result<int64_t> SizeInput(const KernelContext& ctx, int i);

// "[Op] index 2 has already been written to; ...".
Status WrittenTwice(const KernelContext& ctx, int64_t index);

// Whether index may be written according to the attributes `once` and `fixed`.
Status CheckWrite(const KernelContext& ctx, const ListValue& list,
                  int64_t index);

// Reads elements: unwritten ones as zeros of the known shape, which are created
// once for all of them. Errors: the shape is unknown, an element does not have
// attribute `shape`, or it was taken.
class ElementReader {
 public:
  ElementReader(const KernelContext& ctx, const ListValue& list)
      : ctx_(ctx), list_(list), shape_(ctx.attr<PartialShape>("shape")) {}
  Result<Array> At(int64_t i);
  // Every element.
  Result<std::vector<Array>> All();

 private:
  Status MakeZeros(int64_t i);

  const KernelContext& ctx_;
  const ListValue& list_;
  const PartialShape& shape_;
  Array zeros_;
};

// An array as an element: in memory of its own, checked by the list.
Result<Array> ElementInput(const KernelContext& ctx, const ListValue& list,
                           const Array& x);

// An array where the launch runs.
Result<Array> MakeHere(const KernelContext& ctx, DType dtype,
                       const Shape& shape);

// Copies arrays of one dtype one after the other to `to`, which has space for
// them.
void LayOut(const KernelContext& ctx, std::span<const Array> parts,
            const Array& to);

// Elements of a list, all of one shape, along a new first axis. If there are
// none, the shape is that of the list and the attribute `shape`.
Result<Array> StackElements(const KernelContext& ctx, const ListValue& list,
                            std::span<const Array> elements);

// The same for all elements of a list.
Result<Array> StackAll(const KernelContext& ctx, const ListValue& list);

// Part of x, from element `begin` on, as a view. REQUIRES: contiguous.
Array PartOf(const Array& x, int64_t begin, const Shape& shape);
// The slices of x along its first axis. REQUIRES: contiguous, rank 1 or more.
Result<std::vector<Array>> RowsOf(const KernelContext& ctx, const Array& x);

}  // namespace sluice
