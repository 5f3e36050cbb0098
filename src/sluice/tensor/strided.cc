#include "sluice/tensor/strided.h"

#include "sluice/tensor/remote_copy.h"

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

void CopyStrided(const Array& source, const Array& target, WorkerPool* pool) {
  SL_CHECK(source.dtype() == target.dtype() &&
           source.shape() == target.shape());
  if (RemoteCopy::Needed(source, target)) [[unlikely]] {
    return RemoteCopy::Run(source, target);
  }
  CopyRegion(source.dtype(), source.shape(), source.raw(), source.strides(),
             target.mutable_raw(), ContiguousStrides(target.shape()), pool);
}

Result<Array> MakeContiguous(const Array& array, WorkerPool* pool) {
  if (array.contiguous()) return array;
  SL_ASSIGN_OR_RETURN(Array copy, Array::Make(array.dtype(), array.shape(),
                                              AllocatorOf(array.memory())));
  CopyStrided(array, copy, pool);
  return copy;
}

}  // namespace sluice
