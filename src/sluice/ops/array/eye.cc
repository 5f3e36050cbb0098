#include <algorithm>
#include <cstring>

#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  int64_t rows = c.attr<int64_t>("rows"), columns = c.attr<int64_t>("columns");
  Ints dims{rows, columns < 0 ? rows : columns};
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  FillElements(y.dtype(), ElementOf(0, y.dtype()).bytes, y.num_elements(),
               y.mutable_raw(), ctx.step().pool);
  if (y.num_elements() == 0) return OkStatus();
  int64_t rows = y.dim(0), columns = y.dim(1);
  int64_t k = std::clamp(ctx.attr<int64_t>("k"), -rows, columns);
  ElementBytes one = ElementOf(1, y.dtype());
  DispatchBySize(y.dtype(), [&]<class T>() {
    T* to = static_cast<T*>(y.mutable_raw());
    for (int64_t r = std::max<int64_t>(0, -k); r < rows && r + k < columns;
         ++r) {
      std::memcpy(to + r * columns + r + k, one.bytes, sizeof(T));
    }
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>&,
                                const Attrs& attrs) {
  int64_t rows = attrs.get<int64_t>("rows");
  int64_t columns = attrs.get<int64_t>("columns");
  int64_t k = attrs.get<int64_t>("k");
  return {ref::Build(ref::MakeShape({rows, columns < 0 ? rows : columns}),
                     [&](const Ints& i) { return i[1] - i[0] == k; })};
}

Attrs Sizes(int64_t rows, int64_t columns, int64_t k, DType dtype = f32) {
  return {{"rows", rows}, {"columns", columns}, {"k", k}, {"dtype", dtype}};
}

}  // namespace

SL_OP(Eye)
    .doc("A matrix with 1 on a diagonal and 0 elsewhere.")
    .output("y: dtype")
    .types("dtype", kPlain)
    .attr("rows", AttrKind::kInt, "How many rows.")
    .between(0, kMaxElements)
    .attr("columns", -1, "How many columns; -1: as many as rows.")
    .between(-1, kMaxElements)
    .attr("k", 0, "The diagonal: 0 the main one, positive above it.")
    .attr("dtype", DType::kF32, "The type of the result.")
    .shape(Infer)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.attrs = {{"rows", 3}}},
              {.attrs = Sizes(3, 5, 0, DType::kF64)},
              {.attrs = Sizes(5, 3, -2, DType::kI8)},
              {.attrs = Sizes(4, 4, 2, DType::kBool)},
              {.attrs = Sizes(4, 4, 9, DType::kC64)},
              {.attrs = Sizes(2, 3, INT64_MIN, DType::kBF16)},
              {.attrs = Sizes(2, 3, INT64_MAX)},
              {.attrs = Sizes(0, -1, 0)},
              {.attrs = Sizes(3, 0, 0)}})
    .rejects({{.attrs = {{"rows", -1}},
               .message = "[Eye] attribute rows is -1; wanted 0 to "},
              {.attrs = Sizes(2, -2, 0),
               .message = "[Eye] attribute columns is -2; wanted -1 to "},
              {.attrs = Sizes(kMaxElements, 2, 0),
               .message = "[Eye] shape [281474976710656,2] has too many"},
              {.attrs = Sizes(1 << 23, 1 << 24, 0), .message = "out of memory"},
              {.attrs = Sizes(2, 2, 0, DType::kString),
               .message = "[Eye] attribute dtype is string"}});

}  // namespace sluice
