#include <algorithm>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/array_grad.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

// The number of slices produced from `size`; an error for negative counts or a
// wrong number of counts.
Result<int64_t> Total(const ShapeContext& c, int64_t size) {
  PoolVector<int64_t> counts = IntValues(*c.value(1));
  int64_t total = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0) {
      return c.Error(
          StrCat("repeats[", i, "] is ", counts[i], "; wanted at least 0"));
    }
    if (!CheckedAdd(total, counts[i], &total)) total = INT64_MAX;
  }
  if (c.in(1).rank() == 0) {
    if (size < 0) return kUnknownDim;
    if (!CheckedMul(counts[0], size, &total)) total = INT64_MAX;
  }
  return total;
}

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape &x = c.in(0), &repeats = c.in(1);
  if (!x.rank_known()) return OkStatus();
  SL_ASSIGN_OR_RETURN(int axis,
                      c.ResolveAxis(c.attr<int64_t>("axis"), x.rank()));
  if (repeats.rank_known() &&
      (repeats.rank() > 1 || (repeats.rank() == 1 && repeats[0] >= 0 &&
                              x[axis] >= 0 && repeats[0] != x[axis]))) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted one number, or one for each index along "
                          "axis ",
                          axis));
  }
  int64_t total = kUnknownDim;
  if (c.value(1)) {
    SL_ASSIGN_OR_RETURN(total, Total(c, x[axis]));
  }
  Ints dims(x.dims().begin(), x.dims().end());
  dims[static_cast<size_t>(axis)] = total;
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

template <class T>
void CopySlice(const T* from, int64_t n, T* to) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    CopyBytes(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from),
              n * static_cast<int64_t>(sizeof(T)));
  } else {
    std::copy_n(from, n, to);
  }
}

template <class T, class I>
void RepeatSlices(const AxisView& v, int64_t total, const I* counts,
                  bool one_count, const T* x, T* y, WorkerPool* pool) {
  // Outer slices are handed out whole; they are many when this is used in
  // earnest, or few and cheap.
  int64_t each = std::max<int64_t>(1, total * v.inner);
  ParallelFor(pool, v.outer, std::max<int64_t>(1, (1 << 15) / each),
              [&](int64_t begin, int64_t end) {
                for (int64_t o = begin; o < end; ++o) {
                  T* to = y + o * total * v.inner;
                  for (int64_t i = 0; i < v.size; ++i) {
                    const T* from = x + (o * v.size + i) * v.inner;
                    int64_t n = counts[one_count ? 0 : i];
                    if (v.inner == 1) {
                      std::fill_n(to, n, *from);
                      to += n;
                      continue;
                    }
                    for (int64_t k = 0; k < n; ++k, to += v.inner) {
                      CopySlice(from, v.inner, to);
                    }
                  }
                }
              });
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &repeats = ctx.in(1), &y = ctx.out(0);
  AxisView v(x.shape(), ctx.attr<int64_t>("axis"));
  int64_t total = AxisView(y.shape(), ctx.attr<int64_t>("axis")).size;
  if (y.num_elements() == 0) return OkStatus();
  DispatchIndex(repeats.dtype(), [&]<class I>() {
    const I* counts = repeats.data<I>();
    bool one = repeats.rank() == 0;
    WorkerPool* pool = ctx.step().pool;
    auto run = [&]<class T>() {
      const T* from = static_cast<const T*>(x.raw());
      T* to = static_cast<T*>(y.mutable_raw());
      if (one && v.outer == 1) {
        // Every index is separate: as many outer slices of size one.
        AxisView flat = v;
        flat.outer = v.size;
        flat.size = 1;
        RepeatSlices(flat, int64_t{counts[0]}, counts, true, from, to, pool);
      } else {
        RepeatSlices(v, total, counts, one, from, to, pool);
      }
    };
    if (!DispatchBySize(x.dtype(), run)) run.template operator()<std::string>();
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int rank = in[0].shape.rank();
  auto axis = static_cast<size_t>(ref::Axis(attrs.get<int64_t>("axis"), rank));
  Ints from;
  for (int64_t i = 0; i < in[0].shape.dim(static_cast<int>(axis)); ++i) {
    bool one = in[1].shape.rank() == 0;
    double n = in[1].v[one ? 0 : static_cast<size_t>(i)];
    from.insert(from.end(), static_cast<size_t>(n), i);
  }
  Ints dims = ref::DimsOf(in[0].shape);
  dims[axis] = static_cast<int64_t>(from.size());
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    index[axis] = from[static_cast<size_t>(index[axis])];
    return ref::At(in[0], index);
  })};
}

Array Times(std::initializer_list<int64_t> n) {
  return Array::Vector<int64_t>(n);
}

}  // namespace

SL_OP(Repeat)
    .doc(
        "x with every slice along an axis repeated: as often as one number "
        "says, or as often as the number at its index.")
    .input("x: T")
    .input("repeats: I")
    .output("y: T")
    .types("T", kAnyData)
    .types("I", kIndices)
    .attr("axis", 0, "The axis along which slices are repeated.")
    .shape(Infer)
    .grad([](GradContext& g) {
      int64_t axis = g.attr<int64_t>("axis");
      GradVar x = g.in(0);
      if (axis < 0 && x.rank() < 0) {
        return g.fail("the gradient needs to know how many axes x has");
      }
      auto a = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
      // The slice of x for each slice of y.
      GradVar from =
          g.call("Repeat", {CountTo(g, SizeOfAxis(g, x, a)), g.in(1)});
      g.set_dx(0,
               g.call("GatherGrad", {g.dy(), from, g.shape_of(x)}, g.attrs()));
    })
    .batch([](BatchContext& b) {
      // Counts may differ between slices, but not between lanes.
      if (b.batched(1) || b.rank(0) < 1) return false;
      return b.set_all(b.all_in(), b.shifted_axis(b.rank(0)));
    })
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{3}, Array::Scalar<int32_t>(2)}},
              {.in = {{3}, Times({2, 0, 3})}},
              {.in = {{2, 3}, Times({1, 2})}},
              {.in = {{2, 3, 2}, Times({0, 1, 4})}, .attrs = {{"axis", 1}}},
              {.in = {{2, 3}, Array::Scalar<int64_t>(3)},
               .attrs = {{"axis", -1}}},
              {.in = {{2, 3}, Array::Scalar<int64_t>(0)}},
              {.in = {{0, 3}, Times({})}},
              {.in = {{0, 3}, Array::Scalar<int64_t>(3)}},
              {.in = {{500, 9}, Array::Scalar<int64_t>(11)},
               .only = {DType::kF32, DType::kI8}},
              {.in = {{40, 300}, Array::Scalar<int32_t>(7)},
               .attrs = {{"axis", 1}},
               .only = {DType::kF32, DType::kF64}}})
    .rejects({{.in = {{3}, Times({1, -1, 2})},
               .message = "[Repeat] repeats[1] is -1; wanted at least 0"},
              {.in = {{3}, Array::Scalar<int32_t>(-2)},
               .message = "[Repeat] repeats[0] is -2; wanted at least 0"},
              {.in = {{3}, Times({1, 2})},
               .message = "[Repeat] x is f32[3], repeats is i64[2]; wanted one "
                          "number, or one for each index along axis 0"},
              {.in = {{3}, Times({INT64_MAX, INT64_MAX, INT64_MAX})},
               .message = "[Repeat] shape [9223372036854775807] has too many "},
              {.in = {{3}, Array::Scalar<int64_t>(INT64_MAX)},
               .message = "[Repeat] shape [9223372036854775807] has too many "},
              {.in = {{2}, Times({kMaxElements / 2, 1})},
               .message = "out of memory"},
              {.in = {Shape(), Array::Scalar<int64_t>(1)},
               .message = "[Repeat] x is f32[]; wanted rank 1 or more"},
              {.in = {{3}, Array::Scalar<int64_t>(1)},
               .attrs = {{"axis", 1}},
               .message = "[Repeat] axis 1 is out of range"}});

}  // namespace sluice
