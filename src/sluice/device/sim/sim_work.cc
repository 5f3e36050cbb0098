#include "sluice/device/sim/sim_work.h"

#include <algorithm>

namespace sluice {

ByteRange RangeOf(const Array& array) {
  Memory* memory = array.on_host() ? nullptr : array.memory();
  if (array.num_elements() == 0) return {memory, array.address(), 0};
  int64_t first = 0, last = 0;
  for (int i = 0; i < array.rank(); ++i) {
    int64_t span = (array.dim(i) - 1) * array.strides()[static_cast<size_t>(i)];
    (span < 0 ? first : last) += span;
  }
  int64_t size = DTypeSize(array.dtype());
  return {memory, static_cast<char*>(array.address()) + first * size,
          (last - first + 1) * size};
}

}  // namespace sluice
