#include "sluice/base/strings.h"
#include "sluice/formats/idx.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) { return c.WantRank(0, 0); }

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.rank() != 0) {
    return ctx.Error(StrCat("x is ", x.TypeText(), "; wanted rank 0"));
  }
  const std::string& bytes = *x.data<std::string>();
  Result<IdxHeader> header = ReadIdxHeader(bytes);
  if (!header.ok()) {
    return ctx.Error(Code::kDataLoss, StrCat("x ", header.status().message()));
  }
  DType dtype = header->dtype, wanted = ctx.attr<DType>("dtype");
  if (dtype != wanted) {
    return ctx.Error(StrCat("x holds numbers of type ", DTypeName(dtype),
                            "; wanted ", DTypeName(wanted),
                            " as the attribute dtype"));
  }
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, dtype, header->shape));
  CopyIdxNumbers(*header, bytes, ctx.out(0).mutable_raw());
  return OkStatus();
}

// [1 2 3], as bytes.
std::string Small(char type = 8, char size = 3) {
  std::string bytes("\0\0\x08\x01\0\0\0\x03\x01\x02\x03", 11);
  bytes[2] = type;
  bytes[7] = size;
  return bytes;
}
Array Text(std::string bytes) { return Array::Scalar(std::move(bytes)); }

}  // namespace

SL_OP(DecodeIdx)
    .doc(
        "The array of an IDX file, the format of the MNIST digits, from its "
        "bytes.")
    .input("x: string")
    .output("y: dtype")
    .types("dtype", {DType::kU8, DType::kI8, DType::kI16, DType::kI32,
                     DType::kF32, DType::kF64})
    .attr("dtype", DType::kU8, "The type of the numbers in the file.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    // The one sample.
    .reference([](const std::vector<RefArray>&, const Attrs&) {
      return std::vector<RefArray>{{Shape{3}, {1, 2, 3}}};
    })
    .samples({{.in = {Text(Small())}}})
    .rejects({{.in = {Text("")},
               .message = "[DecodeIdx] x at byte 0: IDX data end after 0 "
                          "bytes; wanted a header of 4"},
              {.in = {Text(Small(1))},
               .message = "[DecodeIdx] x at byte 2: IDX type is 1; wanted 8, "
                          "9, 11, 12, 13 or 14"},
              {.in = {Text(Small(9))},
               .message = "[DecodeIdx] x holds numbers of type i8; wanted u8 "
                          "as the attribute dtype"},
              {.in = {Text(Small(8, 4))},
               .message = "[DecodeIdx] x at byte 8: 3 bytes after the header; "
                          "wanted 4 for u8[4]"},
              {.in = {Text(std::string("\0\0\x08\x08", 4) +
                           std::string(32, '\xff'))},
               .message = "[DecodeIdx] x at byte 4: shape [4294967295,"},
              {.in = {Array::Vector<std::string>({Small()})},
               .message = "[DecodeIdx] x is string[1]; wanted rank 0"}});

}  // namespace sluice
