// Shared by kernels of ops on lists of lanes: each lane has its own list, and
// input 0 is a list of them. A tensor of lanes has one slice along axis 0 for
// each; lists of lanes are also stored in a list.
#pragma once

#include "sluice/kernels/shape_value.h"
#include "sluice/ops/list/list_sum.h"

namespace sluice {

// Inputs: lists of lanes, a vector with a number for each lane, followed by any
// scalars or shapes.
Status LaneListShapes(ShapeContext& c);

// The lists of input 0; null if there are none: a list gradient that is zero.
struct LaneLists {
  const ListValue* lists;
  // The list of lane k; null if there is none.
  const ListValue* at(int64_t k) const;
};
Result<LaneLists> LaneListsInput(const KernelContext& ctx);

// A number for each lane, from input i; `least` is the smallest it may be.
Result<std::vector<int64_t>> LaneNumbers(const KernelContext& ctx, int i,
                                         int64_t lanes);
// Each lane's slice of input i.
Result<std::vector<Array>> LaneRows(const KernelContext& ctx, int i);

// Output 0, to be written: the lists of input 0, at least `lanes`.
Result<ListValue*> LaneListsOutput(KernelContext& ctx, int64_t lanes);
// Calls `write` with the list of lane k, created with `dtype` if there is none,
// and stores it back.
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

// A value that represents none (autodiff/branch_gradient.cc): the placeholder
// in a lane that does not read it.
bool IsNothing(const Array& element);

// One element of each lane, along a new first axis; for `dtype` list, a list of
// them. A missing array represents zeros of `dims`; "nothing" represents zeros
// like the others.
Result<Array> StackLanes(const KernelContext& ctx, std::vector<Array> elements,
                         DType dtype, std::span<const int64_t> dims);

}  // namespace sluice
