#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/op/simplify_context.h"
#include "sluice/ops/math/sum_of.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_ASSIGN_OR_RETURN(PartialShape to, ShapeFromInput(c, 1));
  const PartialShape& x = c.in(0);
  if (to.rank_known() && x.rank_known()) {
    bool fits = to.rank() <= x.rank();
    for (int i = 1; fits && i <= to.rank(); ++i) {
      int64_t from = x[x.rank() - i], want = to[to.rank() - i];
      fits = from < 0 || want < 0 || from == want || want == 1;
    }
    if (!fits) {
      return c.Error(StrCat(c.Describe(0), ", shape is ", to,
                            "; wanted a shape that broadcasts to x's"));
    }
  }
  c.set_out(0, to);
  return OkStatus();
}

// Nothing to sum: the gradient of an input that was not actually broadcast.
// Computed as a sum of one element, which turns -0 into 0.
template <class T>
void EachAlone(const KernelContext& ctx) {
  const T* x = ctx.in(0).data<T>();
  T* y = ctx.out(0).mutable_data<T>();
  ParallelFor(ctx.step().pool, ctx.out(0).num_elements(), 1 << 14,
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) y[i] = T(0) + x[i];
                ctx.Finish(begin, end - begin);
              });
}

Status Launch(KernelContext& ctx) {
  DType dtype = ctx.in(0).dtype();
  bool same = ctx.in(0).shape() == ctx.out(0).shape() && !ctx.has_prologue();
  if (same && dtype == DType::kF32) {
    EachAlone<float>(ctx);
  } else if (same && dtype == DType::kF64) {
    EachAlone<double>(ctx);
  } else {
    return reduce_kernel<SumOf, NumberTypes>(ctx);
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  Ints dims(in[1].v.begin(), in[1].v.end());
  RefArray y{ref::MakeShape(dims), {}};
  y.v.assign(static_cast<size_t>(y.shape.num_elements()), 0.0);
  int lead = in[0].shape.rank() - y.shape.rank();
  ref::Build(in[0].shape, [&](const Ints& index) {
    int64_t at = 0, from = 0;
    for (int i = 0; i < in[0].shape.rank(); ++i) {
      from = from * in[0].shape.dim(i) + index[static_cast<size_t>(i)];
      if (i < lead) continue;
      int64_t size = y.shape.dim(i - lead);
      at = at * size + (size == 1 ? 0 : index[static_cast<size_t>(i)]);
    }
    y.v[static_cast<size_t>(at)] += in[0].v[static_cast<size_t>(from)];
    return 0.0;
  });
  return {y};
}

Array To(std::initializer_list<int64_t> dims) {
  return Array::Vector<int64_t>(dims);
}

// Axes that the shape lacks come first: they are kept with size 1 and then
// dropped.
bool Batched(BatchContext& b) {
  int wanted = b.rank_out();
  if (b.batched(1) || b.rank(0) < 0 || wanted < 0) return false;
  int lacks = b.rank(0) - wanted;
  std::vector<int64_t> ones(static_cast<size_t>(std::max(lacks, 0)), 1);
  RuleVar kept = b.join({b.lanes(), b.ints(ones), b.in(1)});
  RuleVar y = b.call("SumTo", {b.in(0), kept});
  b.set(0, lacks > 0 ? b.reshape(y, b.lanes_and(b.in(1))) : y);
  return true;
}

}  // namespace

SL_OP(SumTo)
    .doc(
        "x summed to a shape that broadcasts to x's: over axes the shape lacks "
        "or has with size 1. What gradients of broadcasting ops need.")
    .input("x: T")
    .input("shape: i64")
    .output("y: T")
    .types("T", kNumbers)
    .shape(Infer)
    .grad([](GradContext& g) { g.set_dx(0, g.broadcast_as(g.dy(), g.in(0))); })
    .batch(Batched)
    .cpu(Launch)
    .cpu_workspace(reduce_workspace)
    .fuse_input()
    .fuse_output()
    // A sum would turn -0.0 into 0.0; imperative gradients leave it out as
    // well.
    .simplify("SumTo(x) to x's own shape = x", DropToSameShape)
    .role(Role::kSumTo)
    .linear(Linear::kInFirst)
    .tolerance(1e-5)
    .reference(Reference)
    .samples({{.in = {{2, 3}, To({3})}},
              {.in = {{2, 3}, To({2, 1})}},
              {.in = {{2, 3}, To({1, 1})}},
              {.in = {{2, 3}, To({2, 3})}},
              {.in = {{300, 130}, To({300, 130})}, .only = {DType::kF32}},
              {.in = {{2, 3}, To({})}},
              {.in = {{4, 1, 3}, To({1, 3})}},
              {.in = {{2, 5, 3, 70}, To({5, 1, 70})}},
              {.in = {{0, 3}, To({3})}},
              {.in = {{2, 0}, To({2, 0})}},
              {.in = {Shape(), To({})}}})
    .rejects({{.in = {{2, 3}, To({2})},
               .message = "[SumTo] x is f32[2,3], shape is [2]; wanted a shape "
                          "that broadcasts to x's"},
              {.in = {{3}, To({2, 3})},
               .message = "[SumTo] x is f32[3], shape is [2,3]; wanted"},
              {.in = {{3}, To({-1})},
               .message = "[SumTo] shape[0] is -1; wanted a size of at least "
                          "0"}});

}  // namespace sluice
