#include <cstring>

#include "sluice/formats/raw_bytes.h"
#include "sluice/ops/strings/string_map.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      PartialShape::Make(x.dims().first(x.dims().size() - 1)));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& x = ctx.in(0);
  int64_t size = DTypeSize(x.dtype()), n = x.dim(x.rank() - 1);
  const char* from = static_cast<const char*>(x.raw());
  std::string* to = ctx.out(0).mutable_data<std::string>();
  for (int64_t i = 0; i < ctx.out(0).num_elements(); ++i) {
    to[i].assign(from + i * n * size, static_cast<size_t>(n * size));
    OrderBytes(to[i].data(), n, size, ctx.attr<bool>("little_endian"));
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Ints dims = ref::DimsOf(in[0].shape);
  int64_t n = dims.back();
  dims.pop_back();
  RefArray y{ref::MakeShape(dims), {}};
  bool little = attrs.get<bool>("little_endian");
  for (int64_t i = 0; i < y.shape.num_elements(); ++i) {
    std::string bytes;
    for (int64_t k = 0; k < n; ++k) {
      double v = in[0].v[static_cast<size_t>(i * n + k)];
      DispatchAll(in[0].dtype, [&]<class T>() {
        if constexpr (!std::is_same_v<T, std::string>) {
          T value;
          if constexpr (std::is_same_v<T, double> || std::is_integral_v<T>) {
            value = static_cast<T>(v);
          } else {
            value = T(static_cast<float>(v));
          }
          std::string one(sizeof(T), '\0');
          std::memcpy(one.data(), &value, sizeof(T));
          bytes += little ? one : std::string(one.rbegin(), one.rend());
        }
      });
    }
    y.v.push_back(string_op::Spelled(bytes));
  }
  return {y};
}

}  // namespace

SL_OP(EncodeRaw)
    .doc("The bytes of the numbers along the last axis, as strings.")
    .input("x: T")
    .output("y: string")
    .types("T", kPlain)
    .attr("little_endian", true, "Whether their first byte is the least one.")
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples(
        {{.in = {{2, 3}}, .lo = 48, .hi = 57},
         {.in = {{4}}, .attrs = {{"little_endian", false}}, .lo = 48, .hi = 57},
         {.in = {{2, 0}}},
         {.in = {{0, 3}}}})
    .rejects({{.in = {Shape()},
               .message = "[EncodeRaw] x is f32[]; wanted rank 1 or more"}});

}  // namespace sluice
