#include <algorithm>
#include <string>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/compact.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape &x = c.in(0), &mask = c.in(1);
  if (!x.rank_known() || !mask.rank_known()) return OkStatus();
  bool fits = mask.rank() <= x.rank();
  for (int i = 0; fits && i < mask.rank(); ++i) {
    fits = mask[i] < 0 || x[i] < 0 || mask[i] == x[i];
  }
  if (!fits) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                          "; wanted x to begin with the sizes of mask"));
  }
  Ints dims{kUnknownDim};
  for (int i = mask.rank(); i < x.rank(); ++i) dims.push_back(x[i]);
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

int64_t CountTrue(const uint8_t* mask, int64_t n) {
  // Sums of bytes stay below 256 for this long, and vectorise.
  constexpr int64_t kRun = 128;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i += kRun) {
    uint8_t some = 0;
    for (int64_t k = i; k < std::min(n, i + kRun); ++k) {
      some = static_cast<uint8_t>(some + (mask[k] != 0));
    }
    count += some;
  }
  return count;
}

template <class T>
void Select(const uint8_t* mask, int64_t n, int64_t inner, const T* x, T* y,
            int64_t room) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    if (inner == 1) {
      // Every element is written but only kept if it counts. Nothing is written
      // past the last place, which belongs to the next chunk.
      int64_t to = 0, i = 0;
      for (; i < n && to < room; ++i) {
        y[to] = x[i];
        to += mask[i] != 0;
      }
      return;
    }
  }
  for (int64_t i = 0; i < n && room > 0; ++i) {
    if (!mask[i]) continue;
    --room;
    if constexpr (std::is_trivially_copyable_v<T>) {
      CopyBytes(reinterpret_cast<char*>(y),
                reinterpret_cast<const char*>(x + i * inner),
                inner * static_cast<int64_t>(sizeof(T)));
    } else {
      std::copy_n(x + i * inner, inner, y);
    }
    y += inner;
  }
}

Status Launch(KernelContext& ctx) {
  SL_RETURN_IF_ERROR(CheckShapes(ctx));
  const Array &x = ctx.in(0), &mask = ctx.in(1);
  auto* keep = static_cast<const uint8_t*>(mask.raw());
  int64_t n = mask.num_elements();
  WorkerPool* pool = ctx.step().pool;
  auto offsets = CompactOffsets(pool, n, [&](int64_t begin, int64_t end) {
    return CountTrue(keep + begin, end - begin);
  });
  Ints dims{offsets.back()};
  int64_t inner = 1;
  for (int i = mask.rank(); i < x.rank(); ++i) {
    dims.push_back(x.dim(i));
    inner *= x.dim(i);
  }
  SL_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  SL_RETURN_IF_ERROR(ctx.AllocateOut(0, x.dtype(), shape));
  if (shape.num_elements() == 0) return OkStatus();
  auto select = [&]<class T>() {
    const T* from = static_cast<const T*>(x.raw());
    T* to = static_cast<T*>(ctx.out(0).mutable_raw());
    CompactWrite(pool, n, offsets, [&](int64_t begin, int64_t end, int64_t at) {
      auto next = static_cast<size_t>(begin / kCompactChunk + 1);
      Select(keep + begin, end - begin, inner, from + begin * inner,
             to + at * inner, offsets[next] - at);
    });
  };
  if (!DispatchBySize(x.dtype(), select)) select.operator()<std::string>();
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in, const Attrs&) {
  RefArray y;
  Ints rest = ref::DimsOf(in[0].shape);
  rest.erase(rest.begin(), rest.begin() + in[1].shape.rank());
  int64_t count = 0;
  ref::ForEach(in[1].shape, [&](const Ints& index) {
    if (ref::At(in[1], index) == 0) return;
    ++count;
    ref::ForEach(ref::MakeShape(rest), [&](const Ints& more) {
      Ints at = index;
      at.insert(at.end(), more.begin(), more.end());
      y.v.push_back(ref::At(in[0], at));
    });
  });
  rest.insert(rest.begin(), count);
  y.shape = ref::MakeShape(rest);
  return {y};
}

}  // namespace

SL_OP(MaskedSelect)
    .doc(
        "The elements of x where mask is true, in order. A mask of lower rank "
        "picks whole slices along x's first axes.")
    .input("x: T")
    .input("mask: bool")
    .output("y: T")
    .types("T", kAnyData)
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar places = g.call("NonZero", {g.in(1)});
      GradVar shape = g.shape_of(g.in(0));
      g.set_dx(0, g.call("ScatterNd", {places, g.dy(), shape}));
    })
    .cpu(Launch)
    .dynamic_output()
    .reference(Reference)
    .samples({{.in = {{7}, {7}}},
              {.in = {{3, 4}, {3, 4}}},
              {.in = {{5, 3}, {5}}},
              {.in = {{2, 3, 2}, {2, 3}}},
              {.in = {Shape(), Shape()}},
              {.in = {{3}, Shape()}},
              {.in = {{4}, Array::Vector<bool>({false, false, false, false})}},
              {.in = {{4}, Array::Vector<bool>({true, true, true, true})}},
              {.in = {{0, 3}, {0}}},
              {.in = {{70001}, {70001}},
               .only = {DType::kF32, DType::kI8, DType::kF64}},
              {.in = {{700, 33}, {700}}, .only = {DType::kF32}}})
    .rejects({{.in = {{3}, Array::Zeros(DType::kBool, {4})},
               .message = "[MaskedSelect] x is f32[3], mask is bool[4]; wanted "
                          "x to begin with the sizes of mask"},
              {.in = {{3}, Array::Zeros(DType::kBool, {3, 1})},
               .message = "[MaskedSelect] x is f32[3], mask is bool[3,1]; "}});

}  // namespace sluice
