#include "sluice/state/hash_table.h"

#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

HashTable::Spec SpecOf(const Attrs& attrs) {
  return {attrs.get<DType>("key_dtype"), attrs.get<DType>("value_dtype"),
          attrs.get<PartialShape>("value_shape")};
}

Status Launch(KernelContext& ctx) {
  HashTable::Spec spec = SpecOf(ctx.attrs());
  return MakeHandle(ctx, spec.ToString(),
                    [&](const std::string& name) -> Result<Ref<ResourceBase>> {
                      SL_ASSIGN_OR_RETURN(Ref<HashTable> made,
                                          HashTable::Make(name, spec));
                      return Ref<ResourceBase>(std::move(made));
                    });
}

Status InferShape(ShapeContext& c) {
  Status status = SpecOf(c.attrs()).Check();
  if (!status.ok()) return c.Error(status.message());
  return shapes::scalar(c);
}

SL_OP(HashTable)
    .doc("The handle of a table from keys to values.")
    .output("handle: resource")
    .attr("key_dtype", AttrKind::kDType, "i32, i64 or string")
    .attr("value_dtype", AttrKind::kDType, "type of the values' elements")
    .attr("value_shape", PartialShape::Scalar(), "shape of one value")
    .attr("container", "", "container the table lives in")
    .attr("shared_name", "", "its name there; empty: the node's name")
    .shape(InferShape)
    .cpu(Launch)
    .handle()
    .rejects({{.in = {},
               .attrs = {{"key_dtype", DType::kF32},
                         {"value_dtype", DType::kF32}},
               .message = "[HashTable] key_dtype is f32; wanted one of"},
              {.in = {},
               .attrs = {{"key_dtype", DType::kI64},
                         {"value_dtype", DType::kF32},
                         {"value_shape", PartialShape()}},
               .message = "[HashTable] value_shape is"}});

}  // namespace
}  // namespace sluice
