#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

// Replaces the single -1 in `dims` so that the product is `elements`. False if
// there is more than one, or no such number.
bool FillGap(PoolVector<int64_t>& dims, int64_t elements) {
  int64_t product = 1, gap = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == -1 && gap < 0) {
      gap = static_cast<int64_t>(i);
    } else if (dims[i] < 0 ||
               (dims[i] > 0 && product > kMaxElements / dims[i])) {
      return false;
    } else {
      product *= dims[i];
    }
  }
  if (gap < 0) return product == elements;
  // Without elements any size would fit; 0 is the sensible choice.
  if (product == 0) return false;
  dims[static_cast<size_t>(gap)] = elements / product;
  return elements % product == 0;
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  const Array* value = c.value(1);
  if (!value) {
    const PartialShape& of = c.in(1);
    if (of.rank_known() && of[0] > kMaxRank) {
      return c.Error(
          StrCat(c.Describe(1), "; wanted at most ", kMaxRank, " sizes"));
    }
    if (of.rank_known() && of[0] >= 0) {
      c.set_out(0, PartialShape::OfRank(static_cast<int>(of[0])));
    }
    return OkStatus();
  }
  PoolVector<int64_t> dims = IntValues(*value);
  int gaps = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    gaps += dims[i] == -1;
    if (dims[i] < -1 || gaps > 1) {
      return c.Error(StrCat("shape[", i, "] is ", dims[i],
                            "; wanted sizes of at least 0 and at most one -1"));
    }
  }
  if (c.in(0).fully_known()) {
    PoolVector<int64_t> filled = dims;
    if (!FillGap(filled, c.in(0).ToShape().num_elements())) {
      return c.Error(StrCat(c.Describe(0), ", shape is [", Join(dims, ","),
                            "]; wanted the same number of elements"));
    }
    dims = filled;
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  if (!ctx.in(0).contiguous() || ctx.in(1).rank() != 1) return false;
  PoolVector<int64_t> dims = IntValues(ctx.in(1));
  if (!FillGap(dims, ctx.in(0).num_elements())) return false;
  Result<Shape> shape = Shape::Make(dims);
  if (!shape.ok()) return false;
  *view = ctx.in(0).WithShape(*shape);
  return true;
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  CopyStrided(x, Array::Borrow(y.mutable_raw(), y.dtype(), x.shape()),
              ctx.step().pool);
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints dims;
  double known = 1;
  for (double d : in[1].v) {
    dims.push_back(static_cast<int64_t>(d));
    if (d >= 0) known *= d;
  }
  for (int64_t& d : dims) {
    if (d < 0) {
      d = static_cast<int64_t>(static_cast<double>(in[0].v.size()) / known);
    }
  }
  return {RefArray{ref::MakeShape(dims), in[0].v}};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

// A shape that differs from lane to lane is refused.
bool Batched(BatchContext& b) {
  if (b.batched(1)) return false;
  const PartialShape& made = b.example_out();
  std::vector<int64_t> sizes{-1};
  bool known = made.fully_known();
  for (int64_t size : made.dims()) {
    sizes.push_back(size);
    // Nothing times the number of lanes would leave it open.
    known = known && size > 0;
  }
  RuleVar shape = known ? b.ints(sizes) : b.lanes_and(b.in(1));
  return b.set_all({b.in(0), shape}, {});
}

}  // namespace

SL_OP(Reshape)
    .doc(
        "x's elements in row-major order under another shape; one size may be "
        "-1 and is then worked out.")
    .input("x: T")
    .input("shape: i64")
    .output("y: T")
    .types("T", kAnyData)
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) { g.set_dx(0, g.reshape_as(g.dy(), g.in(0))); })
    .shares([](const Attrs&) { return ViewOrder::kNeeds; })
    .batch(Batched)
    .cpu(Launch)
    .strided_inputs()
    .simplify("Reshape(x) to x's own shape = x", DropToSameShape)
    .simplify("Reshape(Reshape(x, s), t) = Reshape(x, t)",
              [](SimplifyContext& s) {
                // The elements of both are x's in row-major order.
                SimplifyVar x = InnerOfTwice(s);
                return x && s.becomes("Reshape", {x, s.in(1)}, s.attrs());
              })
    .role(Role::kReshape)
    .linear(Linear::kInFirst)
    .reference(Reference)
    .samples({{.in = {{2, 3}, To({3, 2})}},
              {.in = {{2, 3}, To({-1})}},
              {.in = {{4, 6}, To({2, -1, 3})}},
              {.in = {{1, 1}, To({})}},
              {.in = {Shape(), To({1, 1, 1})}},
              {.in = {{0, 3}, To({3, 0, 2})}},
              {.in = {{0, 3}, To({-1, 3})}},
              {.in = {{6}, To({6})}}})
    .rejects(
        {{.in = {{2, 3}, To({4})},
          .message = "[Reshape] x is f32[2,3], shape is [4]; wanted the "
                     "same number of elements"},
         {.in = {{2, 3}, To({4, -1})},
          .message = "[Reshape] x is f32[2,3], shape is [4,-1]; wanted"},
         {.in = {{2, 3}, To({-1, -1})},
          .message = "[Reshape] shape[1] is -1; wanted sizes of at least 0 "
                     "and at most one -1"},
         {.in = {{2, 3}, To({-6, -1})},
          .message = "[Reshape] shape[0] is -6; wanted sizes"},
         {.in = {{0}, To({-1, 0})},
          .message = "[Reshape] x is f32[0], shape is [-1,0]; wanted"},
         {.in = {{0}, To({0, int64_t{1} << 40, int64_t{1} << 40})},
          .message = "[Reshape] shape [0,1099511627776,1099511627776] has "
                     "too many elements"},
         {.in = {{1}, To({1, 1, 1, 1, 1, 1, 1, 1, 1})},
          .message = "[Reshape] rank 9 is too large"},
         {.in = {{2}, Array::Scalar<int64_t>(2)},
          .message = "[Reshape] shape is i64[]; wanted rank 1"}});

}  // namespace sluice
