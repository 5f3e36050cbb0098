#include "sluice/state/barrier.h"

#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

TupleSpec SpecOf(const Attrs& attrs) {
  return {attrs.get<std::vector<DType>>("dtypes"),
          attrs.get<std::vector<PartialShape>>("shapes"),
          {}};
}

Status Launch(KernelContext& ctx) {
  TupleSpec spec = SpecOf(ctx.attrs());
  return MakeHandle(ctx, Barrier::Signature(spec),
                    [&](const std::string& name) -> Result<Ref<ResourceBase>> {
                      SL_ASSIGN_OR_RETURN(Ref<Barrier> made,
                                          Barrier::Make(name, spec));
                      return Ref<ResourceBase>(std::move(made));
                    });
}

Status InferShape(ShapeContext& c) {
  Status status = Barrier::Check(SpecOf(c.attrs()));
  if (!status.ok()) return c.Error(status.message());
  return shapes::scalar(c);
}

SL_OP(Barrier)
    .doc(
        "The handle of a barrier: it joins components that arrive separately "
        "under one key, and gives complete keys out, oldest first.")
    .output("handle: resource")
    .attr("dtypes", AttrKind::kDTypes, "one per component")
    .attr("shapes", AttrKind::kShapes, "one per component, all sizes known")
    .attr("container", "", "container the barrier lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(InferShape)
    .cpu(Launch)
    .handle()
    .rejects({{.in = {},
               .attrs = {{"dtypes", std::vector<DType>{DType::kF32}},
                         {"shapes", std::vector<PartialShape>()}},
               .message = "[Barrier] the shape of component 0 is"},
              {.in = {},
               .attrs = {{"dtypes", std::vector<DType>()},
                         {"shapes", std::vector<PartialShape>()}},
               .message = "[Barrier] dtypes is empty"}});

}  // namespace
}  // namespace sluice
