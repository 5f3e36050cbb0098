#include "sluice/kernels/cpu/copy.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "sluice/tensor/dispatch.h"

namespace sluice {

void CopyRegion(DType dtype, const Shape& shape, const void* from,
                const Strides& from_strides, void* to,
                const Strides& to_strides) {
  StridedWalk<2> walk(shape, {from_strides, to_strides});
  auto copy = [&]<class T>() {
    const T* source = static_cast<const T*>(from);
    T* target = static_cast<T*>(to);
    walk.ForEachRun([&](const auto& offset, const auto& step, int64_t n) {
      const T* x = source + offset[0];
      T* y = target + offset[1];
      if constexpr (!std::is_same_v<T, std::string>) {
        if (step[0] == 1 && step[1] == 1) {
          std::memcpy(y, x, static_cast<size_t>(n) * sizeof(T));
          return;
        }
      }
      for (int64_t i = 0; i < n; ++i) y[i * step[1]] = x[i * step[0]];
    });
  };
  if (dtype == DType::kString) {
    copy.operator()<std::string>();
  } else {
    DispatchBySize(dtype, copy);
  }
}

void FillElements(DType dtype, const void* value, int64_t n, void* to) {
  auto fill = [&]<class T>() {
    std::fill_n(static_cast<T*>(to), n, *static_cast<const T*>(value));
  };
  if (dtype == DType::kString) {
    fill.operator()<std::string>();
  } else {
    DispatchBySize(dtype, fill);
  }
}

}  // namespace sluice
