// Dense arrays moved by one launch, as gpu/moves.cc fills the arguments.
#pragma once

#include "sluice/cuda/elementwise.cuh"

namespace sluice {

constexpr int kMostMoves = 8;
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

SL_GLOBAL(moves, MovesArgs, a) {
  if (a.live && !*a.live) return;
  for (int k = 0; k < a.count; ++k) {
    uint64_t all = reinterpret_cast<uint64_t>(a.from[k]) |
                   reinterpret_cast<uint64_t>(a.to[k]) | uint64_t(a.bytes[k]);
    if (all % 16 == 0) {
      MoveAs<Pack<uint64_t, 2>>(a.from[k], a.to[k], a.bytes[k]);
    } else if (all % 4 == 0) {
      MoveAs<uint32_t>(a.from[k], a.to[k], a.bytes[k]);
    } else {
      MoveAs<uint8_t>(a.from[k], a.to[k], a.bytes[k]);
    }
  }
}

}  // namespace sluice
