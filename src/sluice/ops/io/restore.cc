#include "sluice/base/strings.h"
#include "sluice/formats/safetensors.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 0));
  c.set_out(0, c.attr<PartialShape>("shape"));
  return OkStatus();
}

Result<Array> Read(const KernelContext& ctx) {
  const std::string& name = *ctx.in(1).data<std::string>();
  SL_ASSIGN_OR_RETURN(std::shared_ptr<SafetensorsFile> file,
                      SafetensorsFile::Open(*ctx.in(0).data<std::string>()));
  SL_ASSIGN_OR_RETURN(Array value, file->Read(name));
  const auto& shape = ctx.attr<PartialShape>("shape");
  DType dtype = ctx.attr<DType>("dtype");
  if (value.dtype() != dtype || !shape.Covers(value.shape())) {
    return InvalidArgument(StrCat(
        "tensor \"", EscapeString(name), "\" of \"", EscapeString(file->path()),
        "\" is ", value.TypeText(), "; wanted ", TypeText(dtype, shape)));
  }
  return value;
}

Status Launch(KernelContext& ctx) {
  // The shape function may have known less than is known now.
  for (int i : {0, 1}) {
    if (ctx.in(i).rank() == 0) continue;
    return ctx.Error(StrCat(i == 0 ? "path" : "name", " is ",
                            ctx.in(i).TypeText(), "; wanted rank 0"));
  }
  Result<Array> value = Read(ctx);
  if (!value.ok()) return AsOpError(ctx, value.status());
  ctx.set_out(0, *std::move(value));
  return OkStatus();
}

Array Text(const char* text) { return Array::Scalar<std::string>(text); }

}  // namespace

// No samples: no machine has a file of this kind by default.
SL_OP(Restore)
    .doc("Reads one tensor of a safetensors file.")
    .input("path: string")
    .input("name: string")
    .output("y: dtype")
    .types("dtype", kPlain)
    .attr("dtype", AttrKind::kDType, "The type it must have.")
    .attr("shape", PartialShape(), "What its shape must be, as far as known.")
    .shape(Infer)
    .cpu(Launch)
    .stateful()
    .global_effect("files")
    .dynamic_output()
    .rejects({{.in = {Text("x"), Array::Vector<std::string>({"a"})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[Restore] name is string[1]; wanted rank 0"},
              {.in = {Text("/no/such/file"), Text("a")},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[Restore] cannot read \"/no/such/file\": No such "
                          "file or directory"},
              {.in = {Text("/dev/null"), Text("a")},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[Restore] cannot read \"/dev/null\": it is no "
                          "plain file"}});

}  // namespace sluice
