// Shared by the reader handle ops: the spec from their attributes, the shape
// function and the kernel. The ops differ in their format.
#pragma once

#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/reader.h"

namespace sluice {

template <RecordFormat (*kFormat)(const Attrs&)>
Reader::Spec ReaderSpecOf(const Attrs& attrs) {
  return {kFormat(attrs), attrs.get<std::vector<std::string>>("files")};
}

template <RecordFormat (*kFormat)(const Attrs&)>
Status ReaderHandleShape(ShapeContext& c) {
  Status status = ReaderSpecOf<kFormat>(c.attrs()).Check();
  if (!status.ok()) return c.Error(status.message());
  return shapes::scalar(c);
}

template <RecordFormat (*kFormat)(const Attrs&)>
Status ReaderHandleKernel(KernelContext& ctx) {
  Reader::Spec spec = ReaderSpecOf<kFormat>(ctx.attrs());
  Status status = spec.Check();
  if (!status.ok()) return AsOpError(ctx, status);
  return MakeHandle(ctx, spec.ToString(),
                    [&](const std::string& name) -> Result<Ref<ResourceBase>> {
                      return Ref<ResourceBase>(MakeRef<Reader>(name, spec));
                    });
}

inline constexpr char kFilesDoc[] =
    "paths or patterns (*, ?, [a-z]), read in this order; those of a pattern "
    "sorted";

}  // namespace sluice
