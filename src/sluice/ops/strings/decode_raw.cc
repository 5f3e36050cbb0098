#include <algorithm>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/formats/raw_bytes.h"
#include "sluice/ops/strings/string_map.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.push_back(kUnknownDim);
  Result<PartialShape> out = PartialShape::Make(dims);
  if (!out.ok()) return c.Error(out.status().message());
  c.set_out(0, *out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  DType dtype = ctx.attr<DType>("dtype");
  const std::string* from = x.data<std::string>();
  int64_t n = x.num_elements(), size = DTypeSize(dtype);
  int64_t length = n > 0 ? static_cast<int64_t>(from[0].size()) : 0;
  for (int64_t i = 0; i < n; ++i) {
    if (static_cast<int64_t>(from[i].size()) != length) {
      return ctx.Error(StrCat("x[", i, "] has ", from[i].size(),
                              " bytes; wanted ", length, " as x[0]"));
    }
  }
  if (length % size != 0) {
    return ctx.Error(StrCat("strings have ", length,
                            " bytes; wanted a multiple of ", size, " for ",
                            DTypeName(dtype)));
  }
  std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
  dims.push_back(length / size);
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return ctx.Error(shape.status().message());
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, dtype, *shape));
  char* to = static_cast<char*>(ctx.out(0).mutable_raw());
  for (int64_t i = 0; i < n; ++i) {
    std::memcpy(to + i * length, from[i].data(), static_cast<size_t>(length));
  }
  OrderBytes(to, n * length / size, size, ctx.attr<bool>("little_endian"));
  if (dtype == DType::kBool) {
    // Any byte but 0 and 1 would be no bool at all.
    for (int64_t i = 0; i < n * length; ++i) to[i] = to[i] != 0;
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints dims = ref::DimsOf(in[0].shape);
  dims.push_back(0);
  RefArray y;
  for (double v : in[0].v) {
    std::string text = string_op::Digits(v);
    dims.back() = static_cast<int64_t>(text.size());
    for (char c : text) y.v.push_back(c);
  }
  y.shape = ref::MakeShape(dims);
  return {y};
}

}  // namespace

SL_OP(DecodeRaw)
    .doc(
        "Strings as the bytes of numbers, which make a new last axis. All "
        "strings must have the same length.")
    .input("x: string")
    .output("y: dtype")
    .types("dtype", kPlain)
    .attr("dtype", DType::kU8, "The type of the numbers.")
    .attr("little_endian", true, "Whether their first byte is the least one.")
    .shape(Infer)
    .cpu(Launch)
    .dynamic_output()
    .reference(Reference)
    .samples({{.in = {{3}}, .lo = 100, .hi = 999},
              {.in = {{2, 2}}, .lo = 10, .hi = 99},
              {.in = {Shape()}, .lo = 1000, .hi = 9999},
              {.in = {{0}}}})
    .rejects({{.in = {Array::Vector<std::string>({"ab", "abc"})},
               .message = "[DecodeRaw] x[1] has 3 bytes; wanted 2 as x[0]"},
              {.in = {Array::Vector<std::string>({"abcde"})},
               .attrs = {{"dtype", DType::kF32}},
               .message = "[DecodeRaw] strings have 5 bytes; wanted a multiple "
                          "of 4 for f32"},
              {.in = {Array::Zeros(DType::kString, {1, 1, 1, 1, 1, 1, 1, 1})},
               .message = "[DecodeRaw] rank 9 is too large"}});

}  // namespace sluice
