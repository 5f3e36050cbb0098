// Shared by the four queue handle ops: the spec from their attributes, the
// shape function and the kernel.
#pragma once

#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/queue.h"

namespace sluice {

template <QueueOrder kOrder>
Result<QueueSpec> QueueSpecOf(const Attrs& attrs) {
  QueueSpec spec;
  spec.order = kOrder;
  spec.tuple.dtypes = attrs.get<std::vector<DType>>("dtypes");
  spec.tuple.shapes = attrs.get<std::vector<PartialShape>>("shapes");
  spec.tuple.names = attrs.get<std::vector<std::string>>("names");
  spec.capacity = attrs.get<int64_t>("capacity");
  if constexpr (kOrder == QueueOrder::kShuffle) {
    spec.min_after_dequeue = attrs.get<int64_t>("min_after_dequeue");
    spec.seed = attrs.get<int64_t>("seed");
  }
  SL_RETURN_IF_ERROR(spec.Check());
  return spec;
}

template <QueueOrder kOrder>
Status QueueHandleShape(ShapeContext& c) {
  Result<QueueSpec> spec = QueueSpecOf<kOrder>(c.attrs());
  if (!spec.ok()) return c.Error(spec.status().message());
  return shapes::scalar(c);
}

template <QueueOrder kOrder>
Status QueueHandleKernel(KernelContext& ctx) {
  Result<QueueSpec> spec = QueueSpecOf<kOrder>(ctx.attrs());
  if (!spec.ok()) return AsOpError(ctx, spec.status());
  return MakeHandle(ctx, spec->ToString(),
                    [&](const std::string& name) -> Result<Ref<ResourceBase>> {
                      return Ref<ResourceBase>(MakeRef<Queue>(
                          name, std::move(*spec), ctx.step().seed));
                    });
}

}  // namespace sluice
