// Moves dense arrays in one launch; gpu/moves.cc fills in the arguments.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

constexpr int kMostMoves = 128;
struct MovesArgs {
  const bool* live;
  int64_t count;
  const void* from[kMostMoves];
  void* to[kMostMoves];
  int64_t bytes[kMostMoves];
};

template <class T>
inline void MoveAs(const void* from, void* to, int64_t bytes) {
  int64_t n = bytes / int64_t(sizeof(T));
  for (int64_t i = FirstThread(); i < n; i += AllThreads()) {
    static_cast<T*>(to)[i] = static_cast<const T*>(from)[i];
  }
}

// By a row of the grid, with the largest width that the alignment allows.
inline void MoveBytes(const void* from, void* to, int64_t bytes) {
  uint64_t all = reinterpret_cast<uint64_t>(from) |
                 reinterpret_cast<uint64_t>(to) | uint64_t(bytes);
  if (all % 16 == 0) {
    MoveAs<Pack<uint64_t, 2>>(from, to, bytes);
  } else if (all % 4 == 0) {
    MoveAs<uint32_t>(from, to, bytes);
  } else {
    MoveAs<uint8_t>(from, to, bytes);
  }
}

SL_GLOBAL(moves, MovesArgs, a) {
  if (a.live && !*a.live) return;
  int k = blockIdx.y;
  MoveBytes(a.from[k], a.to[k], a.bytes[k]);
}

}  // namespace sluice
