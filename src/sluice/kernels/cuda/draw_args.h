// The arguments of kernels that draw random numbers: Args of source/random.cuh.
// Plain values.
#pragma once

#include <cstdint>

#include "sluice/device/cuda/driver.h"
#include "sluice/device/cuda/launch_scope.h"
#include "sluice/kernels/random_key.h"

namespace sluice {

struct DrawArgs {
  void* to = nullptr;
  int64_t n = 0;
  RandomKey key;
  const void* from = nullptr;
  void* mask = nullptr;
  CUdeviceptr check = 0;
  uint64_t low = 0, range = 0;
  double scale = 0;
  const void* key_at = nullptr;  // the address of the key, if not in `key`
};

// Sets the key of this launch; for a recorded launch, the address where each
// run puts it.
inline void SetKey(const KernelContext& ctx, DrawArgs& args) {
  args.key_at = CudaDrawScope::KeyAt();
  if (!args.key_at) args.key = RandomKeyOf(ctx);
}

}  // namespace sluice
