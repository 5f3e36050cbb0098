// What kernels of ops on lists of lanes share: each lane has a list of its own,
// and input 0 is a list of them. A tensor of lanes has one slice along axis 0
// for each; lists of lanes are a list of them, too.
#pragma once

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {

// Lists of lanes, a vector of a number for each lane, and after these scalars
// or shapes as they come.
Status LaneListShapes(ShapeContext& c);

// The lists of input 0; null when there are none: the gradient of lists that
// nothing flows into.
struct LaneLists {
  const ListValue* lists;
  // That of lane k; null when there is none.
  const ListValue* at(int64_t k) const;
};
Result<LaneLists> LaneListsInput(const KernelContext& ctx);

// A number for each lane, from input i; `least` is the smallest it may be.
Result<std::vector<int64_t>> LaneNumbers(const KernelContext& ctx, int i,
                                         int64_t lanes);
// What each lane has of input i.
Result<std::vector<Array>> LaneRows(const KernelContext& ctx, int i);

// Output 0, to be written: the lists of input 0, at least `lanes`.
Result<ListValue*> LaneListsOutput(KernelContext& ctx, int64_t lanes);
// Calls `write` with the list of lane k, made one of `dtype` when there is
// none, and puts it back.
template <class Write>
Status WriteLane(const KernelContext& ctx, ListValue& lists, int64_t k,
                 DType dtype, const Write& write) {
  Array lane = lists.at(k) ? lists.Clear(k) : Array();
  if (!lane || !ListOf(lane)) {
    lane = ListArray(MakeRef<ListValue>(dtype, PartialShape()));
  }
  Result<Array> writable = WritableList(lane);
  lane = {};
  if (!writable.ok()) return AsOpError(ctx, writable.status());
  Status status = write(*ListOf(*writable));
  lists.Set(k, *std::move(writable));
  return status;
}

// A value that stands for none (autodiff/branch_gradient.cc): what a lane that
// does not read it has in its place.
bool IsNothing(const Array& element);

// One element of each lane, along a new first axis; of `dtype` list, a list of
// them. No array stands for zeros of `dims`; nothing for zeros as the others.
Result<Array> StackLanes(const KernelContext& ctx, std::vector<Array> elements,
                         DType dtype, std::span<const int64_t> dims);

}  // namespace sluice
