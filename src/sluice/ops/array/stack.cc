#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  if (c.num_inputs() == 0) {
    return c.Error("xs is empty; wanted at least one input");
  }
  SL_RETURN_IF_ERROR(shapes::all_same(c));
  PartialShape x = c.out(0);
  c.set_out(0, PartialShape::Unknown());
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank() + 1));
  Ints dims(x.dims().begin(), x.dims().end());
  dims.insert(dims.begin() + axis, c.num_inputs());
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

// Element i of all inputs, then element i + 1, in blocks that stay in cache
// until all inputs are processed.
template <class T>
void Interleave(KernelContext& ctx) {
  int64_t inputs = ctx.num_inputs(), n = ctx.in(0).num_elements();
  T* y = static_cast<T*>(ctx.out(0).mutable_raw());
  auto from = [&](int i) { return static_cast<const T*>(ctx.in(i).raw()); };
  constexpr int64_t kBlock = (16 << 10) / static_cast<int64_t>(sizeof(T));
  int64_t block = std::max<int64_t>(1, kBlock / inputs);
  ParallelFor(ctx.step().pool, n, 4 * block, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += block) {
      int64_t last = std::min(end, begin + block);
      if (inputs == 2) {
        const T *a = from(0), *b = from(1);
        for (int64_t i = begin; i < last; ++i) {
          T u = a[i], v = b[i];  // together, so that pairs are stored
          y[2 * i] = u;
          y[2 * i + 1] = v;
        }
        continue;
      }
      for (int k = 0; k < inputs; ++k) {
        const T* x = from(k);
        for (int64_t i = begin; i < last; ++i) y[i * inputs + k] = x[i];
      }
    }
  });
}

Status Launch(KernelContext& ctx) {
  const Array& out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  int64_t axis = ctx.attr<int64_t>("axis");
  if (axis < 0) axis += out.rank();
  bool dense = axis == out.rank() - 1 && ctx.num_inputs() > 1;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    dense = dense && ctx.in(i).contiguous();
  }
  if (dense &&
      DispatchBySize(out.dtype(), [&]<class T>() { Interleave<T>(ctx); })) {
    return OkStatus();
  }
  // The output's strides without the new axis place one input.
  Strides strides{};
  for (int i = 0, k = 0; i < out.rank(); ++i) {
    if (i != axis) {
      strides[static_cast<size_t>(k++)] = out.strides()[static_cast<size_t>(i)];
    }
  }
  int64_t step =
      out.strides()[static_cast<size_t>(axis)] * DTypeSize(out.dtype());
  char* to = static_cast<char*>(out.mutable_raw());
  for (int i = 0; i < ctx.num_inputs(); ++i, to += step) {
    const Array& x = ctx.in(i);
    CopyRegion(out.dtype(), x.shape(), x.raw(), x.strides(), to, strides,
               ctx.step().pool);
  }
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int axis = ref::Axis(attrs.get<int64_t>("axis"), in[0].shape.rank() + 1);
  Ints dims = ref::DimsOf(in[0].shape);
  dims.insert(dims.begin() + axis, static_cast<int64_t>(in.size()));
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    auto k = static_cast<size_t>(index[static_cast<size_t>(axis)]);
    index.erase(index.begin() + axis);
    return ref::At(in[k], index);
  })};
}

}  // namespace

SL_OP(Stack)
    .doc("All inputs, which have one shape, along a new axis.")
    .input("xs: T*")
    .output("y: T")
    .types("T", kAnyData)
    .attr("axis", 0, "Where the new axis appears in y.")
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar dy[] = {g.dy()};
      int64_t num = g.num_inputs();
      auto parts = g.call_all(
          "Unstack", dy, {{"num", num}, {"axis", g.attr<int64_t>("axis")}});
      for (size_t i = 0; i < parts.size(); ++i) {
        g.set_dx(static_cast<int>(i), parts[i]);
      }
    })
    .batch(batch_rules::new_axis)
    .cpu(Launch)
    .strided_inputs()
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{3}, {3}}},
              {.in = {Shape(), Shape(), Shape()}},
              {.in = {{2, 3}, {2, 3}}, .attrs = {{"axis", 1}}},
              {.in = {{2, 3}, {2, 3}}, .attrs = {{"axis", -1}}},
              {.in = {{4}}, .attrs = {{"axis", 1}}},
              {.in = {{50, 300}, {50, 300}, {50, 300}},
               .attrs = {{"axis", 2}},
               .only = {DType::kF32, DType::kI8}},
              {.in = {{9000}, {9000}},
               .attrs = {{"axis", 1}},
               .only = {DType::kF32, DType::kF64}},
              {.in = {{0, 2}, {0, 2}}}})
    .rejects(
        {{.in = {{2}, {3}},
          .message = "[Stack] shapes differ: xs[0] is f32[2], xs[1] is "
                     "f32[3]; wanted equal shapes"},
         {.in = {{2}},
          .attrs = {{"axis", 2}},
          .message = "[Stack] axis 2 is out of range; wanted -2 <= axis < 2"},
         {.in = {{1, 1, 1, 1, 1, 1, 1, 1}},
          .message = "[Stack] rank 9 is too large"},
         {.in = {},
          .message = "[Stack] the type T of output y is not determined"}});

}  // namespace sluice
