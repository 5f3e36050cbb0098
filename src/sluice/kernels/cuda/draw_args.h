// What kernels that draw random numbers are given: Args of source/random.cuh.
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
  const void* key_at = nullptr;  // where the key is, if not in `key`
};

// The key of this launch's numbers; of one that is recorded, where each run
// puts it.
inline void SetKey(const KernelContext& ctx, DrawArgs& args) {
  args.key_at = CudaDrawScope::KeyAt();
  if (!args.key_at) args.key = RandomKeyOf(ctx);
}

}  // namespace sluice
