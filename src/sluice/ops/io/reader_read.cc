#include "sluice/op/record.h"
#include "sluice/state/kernel_glue.h"
#include "sluice/state/reader.h"

namespace sluice {
namespace {

Status Launch(KernelContext& ctx) {
  SL_ASSIGN_OR_RETURN(Ref<Reader> reader, ResourceOf<Reader>(ctx));
  Result<Reader::Record> record = reader->Read();
  if (!record.ok()) return AsOpError(ctx, record.status());
  *ctx.out(0).mutable_data<std::string>() = std::move(record->key);
  *ctx.out(1).mutable_data<std::string>() = std::move(record->value);
  return OkStatus();
}

SL_OP(ReaderRead)
    .doc(
        "The next record of a reader, and a key that says where it stood. At "
        "the end of all files: an OutOfRange error.")
    .input("handle: resource")
    .output("key: string")
    .output("value: string")
    .shape(shapes::scalar)
    .cpu(Launch)
    .writes();

}  // namespace
}  // namespace sluice
