#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/state/hash_table.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<HashTable> table, ResourceOf<HashTable>(ctx));
  const HashTable::Spec& spec = table->spec();
  std::string who = StrCat("table \"", table->name(), "\"");
  SL_RETURN_IF_ERROR(CheckClaim(ctx, ctx.attr<DType>("key_dtype"), {},
                                spec.key_dtype, {},
                                StrCat("the keys of ", who)));
  SL_RETURN_IF_ERROR(CheckClaim(ctx, ctx.attr<DType>("value_dtype"),
                                ctx.attr<PartialShape>("value_shape"),
                                spec.value_dtype, spec.value_shape,
                                StrCat("the values of ", who)));
  auto exported = table->Export();
  if (!exported.ok()) return AsOpError(ctx, exported.status());
  ctx.set_out(0, std::move(exported->first));
  ctx.set_out(1, std::move(exported->second));
  return OkStatus();
}

Status InferShape(ShapeContext& c) {
  c.set_out(0, PartialShape({kUnknownDim}));
  c.set_out(1, BatchShape(c.attr<PartialShape>("value_shape"), kUnknownDim));
  return OkStatus();
}

SL_OP(TableExport)
    .doc("All keys of a table in ascending order, and their values.")
    .input("handle: resource")
    .output("keys: key_dtype")
    .output("values: value_dtype")
    .attr("key_dtype", AttrKind::kDType, "the table's")
    .attr("value_dtype", AttrKind::kDType, "the table's")
    .attr("value_shape", PartialShape(),
          "the table's, as far as the graph wants to know it")
    .shape(InferShape)
    .cpu(Launch)
    .reads()
    .dynamic_output();

}  // namespace
}  // namespace sluice
