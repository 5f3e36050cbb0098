// Tells a recorded graph whether its loop continues.
#pragma once

#include "sluice/cuda/elementwise.cuh"

#if defined(SL_EMULATED)
// Handles are addresses of integers in the emulation.
inline void cudaGraphSetConditional(unsigned long long handle,
                                    unsigned int value) {
  *reinterpret_cast<unsigned int*>(handle) = value;
}
#else
// The driver's own function.
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle,
                                                   unsigned int value);
#endif

namespace sluice {

struct ConditionArgs {
  const void* predicate;
  uint64_t handle;
};

// The same if the number of iterations is known: marks the live ones among the
// next rounds. Run by one thread.
struct TurnArgs {
  const int64_t* trips;
  int64_t* begun;
  bool* live;  // of each round
  int64_t rounds;
  uint64_t handle;  // 0: no graph
};

SL_GLOBAL(turn, TurnArgs, a) {
  int64_t left = *a.trips - *a.begun;
  for (int64_t k = 0; k < a.rounds; ++k) a.live[k] = k < left;
  *a.begun += a.rounds;
  if (a.handle) cudaGraphSetConditional(a.handle, left > 0 ? 1u : 0u);
}

SL_GLOBAL(set_condition, ConditionArgs, a) {
  bool go_on = *static_cast<const bool*>(a.predicate);
  cudaGraphSetConditional(a.handle, go_on ? 1u : 0u);
}

}  // namespace sluice
