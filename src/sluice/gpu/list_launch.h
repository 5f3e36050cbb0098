// Launches for the list operations of a loop on a GPU (source/loop_lists.cuh).
//
// Any thread.
#pragma once

#include <span>

#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

// The state of a run of the loop, in GPU memory.
struct LoopControl {
  int64_t count;      // iterations done
  int64_t needed;     // the capacity that some list is missing, if any
  int64_t wrong;      // 1 + the number of the node with an invalid index
  int64_t index;      // that index
  bool live, wanted;  // continue; would continue with enough capacity
};

// Bytes from one element to the next, aligned for wide copies.
inline int64_t ElementStep(int64_t bytes) { return (bytes + 15) / 16 * 16; }

// Runs after the condition: counts the iteration and admits the next one.
Status LaunchAdmit(const KernelContext& ctx, void* control,
                   const void* predicate, int64_t capacity);

// Appends this iteration's elements to the storage of each list.
Status LaunchAppend(const KernelContext& ctx, void* control,
                    std::span<const Array> from, std::span<const Array> to);

struct ListElement {
  void* control;
  const void* live;
  int number;  // of the node, for errors about the index
};
// Stores element `index` and marks it as set.
Status LaunchSet(const KernelContext& ctx, const ListElement& where,
                 const Array& index, const Array& from, const Array& to,
                 const Array& marks, int64_t capacity);
// `table`: the number of elements, then the address of each.
Status LaunchGet(const KernelContext& ctx, const ListElement& where,
                 const Array& index, const Array& table, const Array& to);

}  // namespace sluice
