#include "sluice/tensor/strided.h"

#include <cstring>

#include "sluice/tensor/dispatch.h"

namespace sluice {

bool IsContiguous(const Shape& shape, const Strides& strides) {
  if (shape.num_elements() == 0) return true;
  int64_t step = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape.dim(i) == 1) continue;
    if (strides[static_cast<size_t>(i)] != step) return false;
    step *= shape.dim(i);
  }
  return true;
}

Strides BroadcastStrides(const Shape& shape, const Strides& strides,
                         const Shape& to) {
  Strides out{};
  int lead = to.rank() - shape.rank();
  for (int i = lead; i < to.rank(); ++i) {
    int from = i - lead;
    out[static_cast<size_t>(i)] =
        shape.dim(from) == 1 ? 0 : strides[static_cast<size_t>(from)];
  }
  return out;
}

Strides BroadcastStrides(const Array& array, const Shape& to) {
  return BroadcastStrides(array.shape(), array.strides(), to);
}

void CopyStrided(const Array& source, const Array& target) {
  SL_CHECK(source.dtype() == target.dtype() &&
           source.shape() == target.shape());
  if (source.num_elements() == 0) return;
  if (source.contiguous() && IsPlainData(source.dtype())) {
    std::memcpy(target.mutable_raw(), source.raw(),
                static_cast<size_t>(source.bytes()));
    return;
  }
  StridedWalk<1> walk(source.shape(), {source.strides()});
  auto copy = [&]<class T>() {
    auto* to = static_cast<T*>(target.mutable_raw());
    auto* from = static_cast<const T*>(source.raw());
    walk.ForEachRun([&](const auto& offset, const auto& step, int64_t n) {
      const T* p = from + offset[0];
      for (int64_t i = 0; i < n; ++i) *to++ = p[i * step[0]];
    });
  };
  if (DispatchBySize(source.dtype(), copy)) return;
  if (source.dtype() == DType::kString) copy.operator()<std::string>();
  if (source.dtype() == DType::kResource) copy.operator()<Ref<ResourceBase>>();
}

}  // namespace sluice
