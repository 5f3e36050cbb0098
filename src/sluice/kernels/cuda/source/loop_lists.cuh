// Lists of a loop that runs entirely on the GPU: contiguous elements of one
// shape, with a fixed capacity (gpu/list_launch.cc fills in the arguments).
#pragma once

#include "sluice/cuda/moves.cuh"

namespace sluice {

// The state of a run of the loop, as in gpu/loop_lists.h.
struct LoopControl {
  int64_t count;      // iterations done
  int64_t needed;     // the size that some list lacks, if any
  int64_t wrong;      // 1 + the number of the node with a wrong index
  int64_t index;      // that index
  bool live, wanted;  // continues; would continue with more capacity
};

struct AdmitArgs {
  LoopControl* control;
  const bool* predicate;
  int64_t capacity;
};

// After the condition, by one thread: counts the previous iteration, and admits
// the next one if there is capacity for what it appends.
SL_GLOBAL(admit, AdmitArgs, a) {
  LoopControl& c = *a.control;
  if (c.live) ++c.count;
  c.wanted = *a.predicate;
  c.live = c.wanted && c.count < a.capacity;
}

constexpr int kMostAppended = 8;
struct AppendArgs {
  const LoopControl* control;
  int64_t count;
  const void* from[kMostAppended];
  void* to[kMostAppended];
  int64_t bytes[kMostAppended];
  int64_t step[kMostAppended];
};

// Appends the elements of this iteration to those of the last.
SL_GLOBAL(append, AppendArgs, a) {
  if (!a.control->live) return;
  int64_t at = a.control->count;
  for (int k = 0; k < a.count; ++k) {
    MoveBytes(a.from[k], static_cast<char*>(a.to[k]) + at * a.step[k],
              a.bytes[k]);
  }
}

struct ElementArgs {
  LoopControl* control;
  const bool* live;
  const void* index;
  int32_t wide;    // 64 bits
  int32_t number;  // of the node
  int64_t bytes, step;
  // set: copies from there into the capacity, marked.
  const void* from;
  void* to;
  int64_t capacity;
  uint8_t* marks;
  // get: the number of elements, and the address of each; null: zeros.
  const uint64_t* table;
};

inline int64_t IndexOf(const ElementArgs& a) {
  return a.wide ? *static_cast<const int64_t*>(a.index)
                : int64_t(*static_cast<const int32_t*>(a.index));
}
inline void TellWrong(const ElementArgs& a, int64_t index) {
  if (FirstThread() != 0 || a.control->wrong) return;
  a.control->wrong = a.number + 1;
  a.control->index = index;
}

SL_GLOBAL(set, ElementArgs, a) {
  if (!*a.live) return;
  int64_t index = IndexOf(a);
  if (index < 0) return TellWrong(a, index);
  if (index >= a.capacity) {
    if (FirstThread() == 0 && a.control->needed <= index) {
      a.control->needed = index + 1;
    }
    return;
  }
  MoveBytes(a.from, static_cast<char*>(a.to) + index * a.step, a.bytes);
  if (FirstThread() == 0) a.marks[index] = 1;
}

SL_GLOBAL(get, ElementArgs, a) {
  if (!*a.live) return;
  int64_t index = IndexOf(a);
  bool there = index >= 0 && index < int64_t(a.table[0]);
  if (!there) TellWrong(a, index);
  if (there && a.table[1 + index]) {
    MoveBytes(reinterpret_cast<const void*>(a.table[1 + index]), a.to, a.bytes);
    return;
  }
  for (int64_t i = FirstThread(); i < a.bytes; i += AllThreads()) {
    static_cast<char*>(a.to)[i] = 0;
  }
}

}  // namespace sluice
