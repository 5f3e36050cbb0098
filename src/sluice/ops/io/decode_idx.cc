#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/kernels/raw_bytes.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// IDX: two zero bytes, a type, the number of axes, their sizes as u32, then the
// numbers, all big-endian, and nothing else.
DType TypeOf(unsigned char code) {
  switch (code) {
    case 0x08:
      return DType::kU8;
    case 0x09:
      return DType::kI8;
    case 0x0b:
      return DType::kI16;
    case 0x0c:
      return DType::kI32;
    case 0x0d:
      return DType::kF32;
    case 0x0e:
      return DType::kF64;
    default:
      return DType::kInvalid;
  }
}

Status Infer(ShapeContext& c) { return c.WantRank(0, 0); }

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  if (x.rank() != 0) {
    return ctx.Error(StrCat("x is ", x.TypeText(), "; wanted rank 0"));
  }
  const std::string& bytes = *x.data<std::string>();
  auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() < 4 || at(0) != 0 || at(1) != 0 ||
      TypeOf(at(2)) == DType::kInvalid || at(3) > kMaxRank ||
      bytes.size() < 4 + 4 * size_t{at(3)}) {
    return ctx.Error(Code::kDataLoss,
                     "x has no header of IDX data in its first bytes");
  }
  DType dtype = TypeOf(at(2)), wanted = ctx.attr<DType>("dtype");
  if (dtype != wanted) {
    return ctx.Error(StrCat("x holds numbers of type ", DTypeName(dtype),
                            "; wanted ", DTypeName(wanted),
                            " as the attribute dtype"));
  }
  std::vector<int64_t> dims;
  for (size_t axis = 0; axis < at(3); ++axis) {
    int64_t size = 0;
    for (size_t k = 0; k < 4; ++k) size = size * 256 + at(4 + 4 * axis + k);
    dims.push_back(size);
  }
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return ctx.Error(Code::kDataLoss, shape.status().message());
  size_t header = 4 + 4 * dims.size();
  int64_t want = shape->num_elements() * DTypeSize(dtype);
  if (static_cast<int64_t>(bytes.size() - header) != want) {
    return ctx.Error(Code::kDataLoss, StrCat("x has ", bytes.size() - header,
                                             " bytes after its header; wanted ",
                                             want, " for ", *shape));
  }
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, dtype, *shape));
  char* to = static_cast<char*>(ctx.out(0).mutable_raw());
  std::memcpy(to, bytes.data() + header, static_cast<size_t>(want));
  OrderBytes(to, shape->num_elements(), DTypeSize(dtype), false);
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
               .message = "[DecodeIdx] x has no header of IDX data"},
              {.in = {Text(Small(1))},
               .message = "[DecodeIdx] x has no header of IDX data"},
              {.in = {Text(Small(9))},
               .message = "[DecodeIdx] x holds numbers of type i8; wanted u8 "
                          "as the attribute dtype"},
              {.in = {Text(Small(8, 4))},
               .message = "[DecodeIdx] x has 3 bytes after its header; wanted "
                          "4 for [4]"},
              {.in = {Text(std::string("\0\0\x08\x08", 4) +
                           std::string(32, '\xff'))},
               .message = "[DecodeIdx] shape [4294967295,"},
              {.in = {Array::Vector<std::string>({Small()})},
               .message = "[DecodeIdx] x is string[1]; wanted rank 0"},
              {.in = {Text(Small())},
               .attrs = {{"dtype", DType::kI64}},
               .message = "[DecodeIdx] attribute dtype is i64"}});

}  // namespace sluice
