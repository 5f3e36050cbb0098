#include "sluice/kernels/cpu/copy.h"

#include <algorithm>
#include <string>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/convert.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

void FillElements(DType dtype, const void* value, int64_t n, void* to,
                  WorkerPool* pool) {
  auto fill = [&]<class T>() {
    constexpr int64_t kGrain = (256 << 10) / static_cast<int64_t>(sizeof(T));
    T* y = static_cast<T*>(to);
    const T& v = *static_cast<const T*>(value);
    ParallelFor(pool, n, kGrain, [&](int64_t begin, int64_t end) {
      std::fill_n(y + begin, end - begin, v);
    });
  };
  if (dtype == DType::kString) {
    fill.operator()<std::string>();
  } else {
    DispatchBySize(dtype, fill);
  }
}

ElementBytes ElementOf(double value, DType dtype) {
  ElementBytes e;
  const void* from[] = {&value};
  BlockKernel convert = ConvertBlock(DType::kF64, dtype);
  convert.fn(e.bytes, from, 1, convert.params);
  return e;
}

}  // namespace sluice
