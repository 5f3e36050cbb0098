#include "sluice/base/strings.h"
#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/reader.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Reader> reader, ResourceOf<Reader>(ctx));
  SL_ASSIGN_OR_RETURN(int64_t n, ScalarInt(ctx, 1));
  if (n < 1) return ctx.Error(StrCat("n is ", n, "; wanted 1 or more"));
  Result<std::vector<Reader::Record>> records = reader->ReadUpTo(n);
  if (!records.ok()) return AsOpError(ctx, records.status());
  Shape shape{static_cast<int64_t>(records->size())};
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, DType::kString, shape));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(1, DType::kString, shape));
  std::string* keys = ctx.out(0).mutable_data<std::string>();
  std::string* values = ctx.out(1).mutable_data<std::string>();
  for (Reader::Record& record : *records) {
    *keys++ = std::move(record.key);
    *values++ = std::move(record.value);
  }
  return OkStatus();
}

Status InferShape(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(int64_t n, ScalarCount(c, 1));
  if (n == 0) return c.Error("n is 0; wanted 1 or more");
  for (int i = 0; i < 2; ++i) c.set_out(i, PartialShape({kUnknownDim}));
  return OkStatus();
}

SL_OP(ReaderReadUpTo)
    .doc(
        "The next n records of a reader and their keys, fewer when there are "
        "no more. When there is none left: an OutOfRange error.")
    .input("handle: resource")
    .input("n: I")
    .output("keys: string")
    .output("values: string")
    .types("I", kIndices)
    .shape(InferShape)
    .cpu(Launch)
    .writes()
    .dynamic_output();

}  // namespace
}  // namespace sluice
