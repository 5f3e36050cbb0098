#include "sluice/eager/default_float.h"

#include <atomic>

namespace sluice::front_internal {

namespace {

std::atomic<DType> default_float{DType::kF32};

}  // namespace

DType DefaultFloat() { return default_float.load(std::memory_order_relaxed); }

void SetDefaultFloat(DType dtype) {
  default_float.store(dtype, std::memory_order_relaxed);
}

}  // namespace sluice::front_internal
