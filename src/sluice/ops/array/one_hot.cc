#include <algorithm>
#include <cstring>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  if (!x.rank_known()) return OkStatus();
  Ints dims(x.dims().begin(), x.dims().end());
  dims.push_back(c.attr<int64_t>("depth"));
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

Status Launch(KernelContext& ctx) {
  const Array& y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  int64_t depth = ctx.attr<int64_t>("depth");
  ElementBytes on = ElementOf(ctx.attr<double>("on"), y.dtype());
  ElementBytes off = ElementOf(ctx.attr<double>("off"), y.dtype());
  DispatchBySize(y.dtype(), [&]<class T>() {
    T hot, cold;
    std::memcpy(&hot, on.bytes, sizeof hot);
    std::memcpy(&cold, off.bytes, sizeof cold);
    T* to = static_cast<T*>(y.mutable_raw());
    DispatchIndex(ctx.in(0).dtype(), [&]<class I>() {
      const I* index = ctx.in(0).data<I>();
      constexpr int64_t kGrain = (128 << 10) / sizeof(T);
      ParallelFor(ctx.step().pool, y.num_elements() / depth,
                  std::max<int64_t>(1, kGrain / depth),
                  [&](int64_t begin, int64_t end) {
                    std::fill_n(to + begin * depth, (end - begin) * depth,
                                cold);
                    for (int64_t i = begin; i < end; ++i) {
                      if (index[i] < 0 || index[i] >= depth) continue;
                      to[i * depth + index[i]] = hot;
                    }
                  });
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Ints dims = ref::DimsOf(in[0].shape);
  dims.push_back(attrs.get<int64_t>("depth"));
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    auto column = static_cast<double>(index.back());
    index.pop_back();
    return attrs.get<double>(ref::At(in[0], index) == column ? "on" : "off");
  })};
}

}  // namespace

SL_OP(OneHot)
    .doc(
        "A new last axis of size depth that holds `on` at the index and `off` "
        "elsewhere; an index outside gives only `off`.")
    .input("indices: I")
    .output("y: dtype")
    .types("I", kIndices)
    .types("dtype", kPlain)
    .attr("depth", AttrKind::kInt, "The size of the new axis.")
    .between(0, kMaxElements)
    .attr("on", 1.0, "The value at the index.")
    .attr("off", 0.0, "The value elsewhere.")
    .attr("dtype", DType::kF32, "The type of the result.")
    .shape(Infer)
    .batch(batch_rules::leading)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{4}}, .attrs = {{"depth", 3}}, .lo = 0, .hi = 2},
              {.in = {{2, 2}},
               .attrs = {{"depth", 2},
                         {"on", 5},
                         {"off", 2},
                         {"dtype", DType::kI16}}},
              {.in = {Shape()},
               .attrs = {{"depth", 4}, {"dtype", DType::kBool}},
               .lo = 1,
               .hi = 1},
              {.in = {{3}}, .attrs = {{"depth", 0}}},
              {.in = {{0}}, .attrs = {{"depth", 3}, {"dtype", DType::kF16}}},
              {.in = {{700}}, .attrs = {{"depth", 201}}, .lo = -5, .hi = 210},
              {.in = {Array::Vector<int64_t>({INT64_MIN, -1, 1, 3, INT64_MAX})},
               .attrs = {{"depth", 3}}}})
    .rejects({{.in = {Array::Zeros(DType::kI64, {8})},
               .attrs = {{"depth", kMaxElements}},
               .message = "[OneHot] shape [8,281474976710656] has too many "
                          "elements"}});

}  // namespace sluice
