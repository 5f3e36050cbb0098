#include "sluice/base/strings.h"
#include "sluice/formats/safetensors.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 0));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  int64_t names = c.in(1).rank_known() ? c.in(1).dim(0) : kUnknownDim;
  int tensors = c.num_inputs() - 2;
  if (names >= 0 && names != tensors) {
    return c.Error(StrCat("there are ", tensors, " tensors and ", names,
                          " names; wanted a name for each"));
  }
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  // Sizes that were unknown when the graph was built.
  if (ctx.in(0).num_elements() != 1 ||
      ctx.in(1).num_elements() != ctx.num_inputs() - 2) {
    return ctx.Error(StrCat("path is ", ctx.in(0).TypeText(), " and names is ",
                            ctx.in(1).TypeText(), "; wanted one path and ",
                            ctx.num_inputs() - 2, " names"));
  }
  const std::string* names = ctx.in(1).data<std::string>();
  std::vector<NamedArray> arrays;
  for (int i = 2; i < ctx.num_inputs(); ++i) {
    arrays.push_back({names[i - 2], ctx.in(i)});
  }
  return AsOpError(ctx,
                   SaveSafetensors(FileSystem::Current(),
                                   *ctx.in(0).data<std::string>(), arrays, {})
                       .status());
}

Array Text(const char* text) { return Array::Scalar<std::string>(text); }

}  // namespace

// No samples: a file would be left on every machine that tries them.
SL_OP(Save)
    .doc(
        "Writes tensors to a safetensors file. It is written beside, synced "
        "and renamed: a file that was there is replaced whole or not at all.")
    .input("path: string")
    .input("names: string")
    .input("tensors: any*")
    .shape(Infer)
    .cpu(Launch)
    .stateful()
    .global_effect("files")
    .rejects(
        {{.in = {Text("x"), Text("a"), {2}},
          .message = "[Save] names is string[]; wanted rank 1"},
         {.in = {Text("x"), Array::Vector<std::string>({"a", "b"}), {2}},
          .message = "[Save] there are 1 tensors and 2 names; wanted a name "
                     "for each"},
         {.in = {Text("/dev/null"), Array::Vector<std::string>({"a"}), {2}},
          .message = "[Save] cannot write \"/dev/null\": it is no plain file"},
         {.in = {Text("/no/such/folder/x"),
                 Array::Vector<std::string>({"a"}),
                 {2}},
          .message = "[Save] cannot write \"/no/such/folder/x"},
         {.in = {Text("x"), Array::Vector<std::string>({"a"}), Text("b")},
          .message = "[Save] tensor \"a\" is string[]; wanted numbers"}});

}  // namespace sluice
