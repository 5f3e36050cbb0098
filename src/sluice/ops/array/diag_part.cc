#include <algorithm>

#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// The length of diagonal k of an r x c matrix; 0 for one outside.
int64_t Length(int64_t r, int64_t c, int64_t k) {
  if (k >= c || k <= -r) return 0;
  return std::min(r + std::min<int64_t>(k, 0), c - std::max<int64_t>(k, 0));
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  int64_t rows = x[x.rank() - 2], columns = x[x.rank() - 1];
  Ints dims(x.dims().begin(), x.dims().end() - 1);
  dims.back() = rows >= 0 && columns >= 0
                    ? Length(rows, columns, c.attr<int64_t>("k"))
                    : kUnknownDim;
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  if (x.rank() < 2) return false;
  auto row = static_cast<size_t>(x.rank() - 2), column = row + 1;
  int64_t k = ctx.attr<int64_t>("k");
  Ints dims(x.shape().dims().begin(), x.shape().dims().end() - 1);
  dims.back() = Length(x.dim(x.rank() - 2), x.dim(x.rank() - 1), k);
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return false;
  Strides strides = x.strides();
  int64_t offset = shape->num_elements() == 0 ? 0
                   : k >= 0                   ? k * strides[column]
                                              : -k * strides[row];
  strides[row] += strides[column];
  strides[column] = 0;
  *view = Array::View(x, offset, *shape, strides);
  return true;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int64_t k = attrs.get<int64_t>("k");
  const Shape& x = in[0].shape;
  Ints dims = ref::DimsOf(x);
  dims.pop_back();
  int64_t n = 0;
  for (int64_t r = 0; r < x.dim(x.rank() - 2); ++r) {
    for (int64_t c = 0; c < x.dim(x.rank() - 1); ++c) n += c - r == k;
  }
  dims.back() = n;
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    int64_t i = index.back();
    index.back() = k < 0 ? i - k : i;
    index.push_back(k < 0 ? i : i + k);
    return ref::At(in[0], index);
  })};
}

}  // namespace

SL_OP(DiagPart)
    .doc("A diagonal of the matrices in the last two axes.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("k", 0, "The diagonal: 0 the main one, positive above it.")
    .shape(Infer)
    .view(View)
    .cpu(copy_view<View>)
    .strided_inputs()
    .reference(Reference)
    .samples({{.in = {{3, 3}}},
              {.in = {{3, 5}}, .attrs = {{"k", 1}}},
              {.in = {{2, 5, 3}}, .attrs = {{"k", -2}}},
              {.in = {{2, 3}}, .attrs = {{"k", 3}}},
              {.in = {{2, 3}}, .attrs = {{"k", INT64_MIN}}},
              {.in = {{2, 3}}, .attrs = {{"k", INT64_MAX}}},
              {.in = {{0, 3}}},
              {.in = {{0, 2, 3}}}})
    .rejects({{.in = {{3}},
               .message = "[DiagPart] x is f32[3]; wanted rank 2 or more"}});

}  // namespace sluice
