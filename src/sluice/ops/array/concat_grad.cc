#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape& dy = c.in(0);
  int axis = -1;
  if (dy.rank_known()) {
    SL_ASSIGN_OR_RETURN(axis,
                        c.ResolveAxis(c.attr<int64_t>("axis"), dy.rank()));
  }
  int64_t total = 0;
  for (int i = 0; i < c.num_outputs(); ++i) {
    SL_ASSIGN_OR_RETURN(PartialShape part, ShapeFromInput(c, i + 1));
    c.set_out(i, part);
    if (!dy.rank_known()) continue;
    PartialShape wanted = dy;
    wanted.set_dim(axis, part.rank() == dy.rank() ? part[axis] : kUnknownDim);
    Result<PartialShape> merged = MergeShapes(wanted, part);
    if (!merged.ok()) {
      return c.Error(StrCat(c.Describe(0), ", shapes[", i, "] is ", part,
                            "; wanted equal sizes but on axis ", axis));
    }
    c.set_out(i, *merged);
    int64_t size = (*merged)[axis];
    if (size < 0 || total < 0 || !CheckedAdd(total, size, &total)) {
      total = kUnknownDim;
    }
  }
  if (axis >= 0 && total >= 0 && dy[axis] >= 0 && dy[axis] != total) {
    return c.Error(StrCat(c.Describe(0), ", the sizes in shapes add up to ",
                          total, "; wanted ", dy[axis], " on axis ", axis));
  }
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& dy = ctx.in(0);
  if (dy.num_elements() == 0) return OkStatus();
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < 0) axis += dy.rank();
  int64_t step =
      dy.strides()[static_cast<size_t>(axis)] * DTypeSize(dy.dtype());
  const char* from = static_cast<const char*>(dy.raw());
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    const Array& dx = ctx.out(i);
    CopyRegion(dy.dtype(), dx.shape(), from, dy.strides(), dx.mutable_raw(),
               dx.strides(), ctx.step().pool);
    from += dx.dim(static_cast<int>(axis)) * step;
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto axis = static_cast<size_t>(
      ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank()));
  std::vector<RefArray> out;
  int64_t first = 0;
  for (size_t i = 1; i < in.size(); ++i) {
    Ints dims(in[i].v.begin(), in[i].v.end());
    out.push_back(ref::Build(ref::MakeShape(dims), [&](Ints index) {
      index[axis] += first;
      return ref::At(in[0], index);
    }));
    first += dims[axis];
  }
  return out;
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

// The cuts are those of the parts' shapes, which are the same for all lanes.
bool Batched(BatchContext& b) {
  if (b.rank(0) < 1) return false;
  RuleVars inputs{b.full(0)};
  for (int i = 1; i < b.num_inputs(); ++i) {
    if (b.batched(i)) return false;
    inputs.push_back(b.lanes_and(b.in(i)));
  }
  return b.set_all(inputs, b.shifted_axis(b.rank(0)));
}

}  // namespace

SL_OP(ConcatGrad)
    .doc(
        "The gradient of Concat: dy cut along an axis into parts of the given "
        "shapes. Unlike the sizes of SplitV these may be known only when it "
        "runs.")
    .input("dy: T")
    .input("shapes: i64*")
    .output("dxs: T * shapes")
    .types("T", kNumbers)
    .attr("axis", 0, "The axis to cut.")
    .shape(Infer)
    .grad([](GradContext& g) {
      std::vector<GradVar> parts;
      for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.dy(i));
      auto whole = g.call_all("Concat", parts, g.attrs());
      if (!whole.empty()) g.set_dx(0, whole[0]);
    })
    .batch(Batched)
    .cpu(Launch)
    .strided_inputs()
    .internal()
    .reference(Reference)
    .samples({{.in = {{6}, To({1}), To({3}), To({2})}},
              {.in = {{2, 4}, To({2, 3}), To({2, 1})}, .attrs = {{"axis", 1}}},
              {.in = {{2, 4, 3}, To({2, 0, 3}), To({2, 4, 3})},
               .attrs = {{"axis", -2}}},
              {.in = {{3, 2}, To({3, 2})}},
              {.in = {{0, 2}, To({0, 1}), To({0, 1})}, .attrs = {{"axis", 1}}}})
    .rejects({{.in = {{5}, To({2}), To({2})},
               .message = "[ConcatGrad] dy is f32[5], the sizes in shapes add "
                          "up to 4; wanted 5 on axis 0"},
              {.in = {{2, 4}, To({2, 2}), To({3, 2})},
               .attrs = {{"axis", 1}},
               .message = "[ConcatGrad] dy is f32[2,4], shapes[1] is [3,2]; "
                          "wanted equal sizes but on axis 1"},
              {.in = {{4}, To({2, 2})},
               .message = "[ConcatGrad] dy is f32[4], shapes[0] is [2,2]; "
                          "wanted equal sizes"},
              {.in = {{4}, To({-4})},
               .message = "[ConcatGrad] shapes[0][0] is -4; wanted a size"},
              {.in = {Shape(), To({})},
               .message = "[ConcatGrad] dy is f32[]; wanted rank 1 or more"},
              {.in = {{4}, To({4})},
               .attrs = {{"axis", 1}},
               .message = "[ConcatGrad] axis 1 is out of range"}});

}  // namespace sluice
