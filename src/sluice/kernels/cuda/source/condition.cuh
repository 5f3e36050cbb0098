// Tells a recorded graph whether its loop goes round once more.
#pragma once

#include "sluice/cuda/elementwise.cuh"

#if defined(SL_EMULATED)
// Handles are addresses of numbers there.
inline void cudaGraphSetConditional(unsigned long long handle,
                                    unsigned int value) {
  *reinterpret_cast<unsigned int*>(handle) = value;
}
#else
// The driver's own.
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle,
                                                   unsigned int value);
#endif

namespace sluice {

struct ConditionArgs {
  const void* predicate;
  uint64_t handle;
};

SL_GLOBAL(set_condition, ConditionArgs, a) {
  bool go_on = *static_cast<const bool*>(a.predicate);
  cudaGraphSetConditional(a.handle, go_on ? 1u : 0u);
}

}  // namespace sluice
