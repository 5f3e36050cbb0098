// What kernels of list ops share: looking at the list of input 0, writing it,
// and laying elements side by side. A kernel checks everything before it
// writes, because the list may be written where it lies.
#pragma once

#include <span>

#include "sluice/op/grad_context.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/tensor/list.h"

namespace sluice {

// What elements may be.
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
// when elements are laid side by side.
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

// Whether index may be written, as the attributes `once` and `fixed` say.
Status CheckWrite(const KernelContext& ctx, const ListValue& list,
                  int64_t index);

// Reads elements: those never written as zeros of the known shape, which are
// made once for all of them. Errors: no such shape is known, an element is not
// of attribute `shape`, or it was taken.
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

// An array as an element: of memory of its own, checked by the list.
Result<Array> ElementInput(const KernelContext& ctx, const ListValue& list,
                           const Array& x);

// An array where the launch runs.
Result<Array> MakeHere(const KernelContext& ctx, DType dtype,
                       const Shape& shape);

// Arrays of one dtype one after the other in `to`, which has room for them.
void LayOut(const KernelContext& ctx, std::span<const Array> parts,
            const Array& to);

// Elements of a list, all of one shape, along a new first axis. The shape is
// asked of the list and of the attribute `shape` when there are none.
Result<Array> StackElements(const KernelContext& ctx, const ListValue& list,
                            std::span<const Array> elements);

// The same of all elements of a list.
Result<Array> StackAll(const KernelContext& ctx, const ListValue& list);

// Part of x, from element `begin` on, as a look into it. REQUIRES: contiguous.
Array PartOf(const Array& x, int64_t begin, const Shape& shape);
// The slices of x along its first axis. REQUIRES: contiguous, rank 1 or more.
Result<std::vector<Array>> RowsOf(const KernelContext& ctx, const Array& x);

}  // namespace sluice
