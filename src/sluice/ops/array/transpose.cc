#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"

namespace sluice {
namespace {

// The permutation in full; false when `perm` is none of `rank` axes.
bool Permutation(const Ints& perm, int rank, int (&axes)[kMaxRank]) {
  if (perm.empty()) {
    for (int i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
    return true;
  }
  if (perm.size() != static_cast<size_t>(rank)) return false;
  uint32_t seen = 0;
  for (int i = 0; i < rank; ++i) {
    int64_t a = perm[static_cast<size_t>(i)];
    if (a < -rank || a >= rank) return false;
    axes[i] = static_cast<int>(a < 0 ? a + rank : a);
    seen |= 1u << axes[i];
  }
  return seen == (1u << rank) - 1;
}

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints& perm = c.attr<Ints>("perm");
  if (!x.rank_known()) {
    // The permutation's length gives the rank, but may also be wrong.
    return OkStatus();
  }
  int axes[kMaxRank];
  if (!Permutation(perm, x.rank(), axes)) {
    return c.Error(StrCat(c.Describe(0), ", perm is [", Join(perm, ","),
                          "]; wanted each of its axes once"));
  }
  PartialShape out = PartialShape::OfRank(x.rank());
  for (int i = 0; i < x.rank(); ++i) out.set_dim(i, x[axes[i]]);
  c.set_out(0, out);
  return OkStatus();
}

bool View(const KernelContext& ctx, Array* view) {
  const Array& x = ctx.in(0);
  int axes[kMaxRank];
  if (!Permutation(ctx.attr<Ints>("perm"), x.rank(), axes)) return false;
  int64_t dims[kMaxRank];
  Strides strides{};
  for (int i = 0; i < x.rank(); ++i) {
    dims[i] = x.dim(axes[i]);
    strides[static_cast<size_t>(i)] = x.strides()[static_cast<size_t>(axes[i])];
  }
  Result<Shape> shape = Shape::Make({dims, static_cast<size_t>(x.rank())});
  if (!shape.ok()) return false;
  *view = Array::View(x, 0, *shape, strides);
  return true;
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int rank = in[0].shape.rank();
  Ints perm = attrs.get<Ints>("perm"), dims;
  if (perm.empty()) {
    for (int i = rank - 1; i >= 0; --i) perm.push_back(i);
  }
  for (int64_t& p : perm) {
    p = ref::Axis(p, rank);
    dims.push_back(in[0].shape.dim(static_cast<int>(p)));
  }
  return {ref::Build(ref::MakeShape(dims), [&](const Ints& index) {
    Ints from(index.size());
    for (size_t i = 0; i < perm.size(); ++i) {
      from[static_cast<size_t>(perm[i])] = index[i];
    }
    return ref::At(in[0], from);
  })};
}

// The axis of x for each axis of Transpose(x); empty if unknown.
Ints Permutation(SimplifyVar x, const Attrs& attrs) {
  Ints perm = attrs.get<Ints>("perm");
  const PartialShape& shape = x.shape();
  if (!shape.rank_known()) return perm;
  if (perm.empty()) {
    for (int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
      perm.push_back(axis);
    }
  }
  for (int64_t& axis : perm) axis += axis < 0 ? shape.rank() : 0;
  return perm;
}

bool TransposeBack(SimplifyContext& s) {
  SimplifyVar x = InnerOfTwice(s);
  if (!x) return false;
  Ints outer = Permutation(s.in(0), s.attrs());
  Ints inner = Permutation(x, s.in(0).made_with());
  // Both reverse the axes, for an unknown rank.
  if (outer.empty() && inner.empty()) return s.becomes(x);
  if (outer.size() != inner.size()) return false;
  for (size_t i = 0; i < outer.size(); ++i) {
    auto axis = static_cast<size_t>(outer[i]);
    if (axis >= inner.size() || inner[axis] != static_cast<int64_t>(i)) {
      return false;
    }
  }
  return s.becomes(x);
}

bool Batched(BatchContext& b) {
  int rank = b.rank(0);
  if (rank < 0) return false;
  std::vector<int64_t> perm{0};
  std::vector<int64_t> given =
      batch_rules::shifted(b.attr<std::vector<int64_t>>("perm"), rank);
  for (int i = rank; given.empty() && i > 0; --i) perm.push_back(i);
  perm.insert(perm.end(), given.begin(), given.end());
  return b.set_all({b.in(0)}, {{"perm", perm}});
}

}  // namespace

SL_OP(Transpose)
    .doc("x with its axes in another order.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("perm", Ints{},
          "Axis perm[i] of x becomes axis i; empty means reversed.")
    .shape(Infer)
    .view(View)
    .grad([](GradContext& g) {
      const Ints& perm = g.attr<Ints>("perm");
      Ints back(perm.size());
      for (size_t i = 0; i < perm.size(); ++i) {
        int at = ref::Axis(perm[i], static_cast<int>(perm.size()));
        back[static_cast<size_t>(at)] = static_cast<int64_t>(i);
      }
      g.set_dx(0, g.call("Transpose", {g.dy()}, {{"perm", back}}));
    })
    .shares([](const Attrs&) { return ViewOrder::kChanges; })
    .batch(Batched)
    .cpu(copy_view<View>)
    .strided_inputs()
    .simplify("Transpose back again = x", TransposeBack)
    .role(Role::kTranspose)
    .linear(Linear::kInFirst)
    .reference(Reference)
    .samples({{.in = {{2, 3}}},
              {.in = {{2, 3, 4}}, .attrs = {{"perm", Ints{1, 0, 2}}}},
              {.in = {{2, 3, 4}}, .attrs = {{"perm", Ints{-1, 0, 1}}}},
              {.in = {Shape()}},
              {.in = {{5}}, .attrs = {{"perm", Ints{0}}}},
              {.in = {{2, 0, 3}}},
              {.in = {{65, 130}},
               .only = {DType::kF32, DType::kF64, DType::kF16, DType::kI8}},
              {.in = {{3, 17, 5, 9}},
               .attrs = {{"perm", Ints{0, 2, 3, 1}}},
               .only = {DType::kF32, DType::kF64, DType::kF16, DType::kI8}}})
    .rejects({{.in = {{2, 3}},
               .attrs = {{"perm", Ints{0}}},
               .message = "[Transpose] x is f32[2,3], perm is [0]; wanted each "
                          "of its axes once"},
              {.in = {{2, 3}},
               .attrs = {{"perm", Ints{0, 0}}},
               .message = "[Transpose] x is f32[2,3], perm is [0,0]; wanted"},
              {.in = {{2, 3}},
               .attrs = {{"perm", Ints{0, 2}}},
               .message = "[Transpose] x is f32[2,3], perm is [0,2]; wanted"}});

}  // namespace sluice
