// Launches of what a loop on a GPU does with its lists (source/loop_lists.cuh).
//
// Any thread.
#pragma once

#include <span>

#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// Where a run of the loop stands, in the GPU's memory.
struct LoopControl {
  int64_t count;      // iterations done
  int64_t needed;     // the size some list must have, if it has not
  int64_t wrong;      // 1 + the number of the node that got a wrong index
  int64_t index;      // which it was
  bool live, wanted;  // go on; would go on if there were room
};

// Bytes from one element to the next: they lie well for wide moves.
inline int64_t ElementStep(int64_t bytes) { return (bytes + 15) / 16 * 16; }

// Behind the condition: counts the iteration, lets in the next.
Status LaunchAdmit(const KernelContext& ctx, void* control,
                   const void* predicate, int64_t capacity);

// What this iteration appends to each list's room.
Status LaunchAppend(const KernelContext& ctx, void* control,
                    std::span<const Array> from, std::span<const Array> to);

struct ListElement {
  void* control;
  const void* live;
  int number;  // of the node, where the index is wrong
};
// Element `index` of the room, which is marked.
Status LaunchSet(const KernelContext& ctx, const ListElement& where,
                 const Array& index, const Array& from, const Array& to,
                 const Array& marks, int64_t capacity);
// `table`: how many elements there are, and where each is.
Status LaunchGet(const KernelContext& ctx, const ListElement& where,
                 const Array& index, const Array& table, const Array& to);

}  // namespace sluice
