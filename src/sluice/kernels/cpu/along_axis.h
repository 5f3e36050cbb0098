// Kernels that work on whole slices along attribute "axis" and have a result of
// the same shape: softmax and its relatives. Contiguous slices are processed in
// groups; otherwise adjacent slices are processed side by side, a strip of
// columns at a time. Stateless; any thread.
//
// Loops are given for one element type T and compiled per level:
//   template <class T> struct Rows {
//     static void Run(const T* a, const T* b, int64_t rows, int64_t n, T* y);
//   };
//   template <class T> struct Columns {  // n columns of `size` rows
//     static void Run(const T* a, const T* b, int64_t size, int64_t stride,
//                     int64_t n, T* y);
//   };
// `a` may be y; b is the second input, null if there is none. Input 0 is read
// through Load, output 0 is reported by Finish.
#pragma once

#include <algorithm>

#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/axis_view.h"
#include "sluice/kernels/cpu/isa.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {

// Columns of a strip; loops keep arrays of this size on the stack.
inline constexpr int64_t kStripColumns = 64;
// Elements that are worth a task.
inline constexpr int64_t kAxisGrain = 1 << 14;

template <template <class> class Rows, template <class> class Columns>
Status RunAlongAxis(KernelContext& ctx) {
  const Array& out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  AxisView v(out.shape(), ctx.attr<int64_t>("axis"));
  WorkerPool* pool = ctx.step().pool;
  DispatchFloats(out.dtype(), [&]<class T>() {
    T* y = out.mutable_data<T>();
    const T* b = ctx.num_inputs() > 1 ? ctx.in(1).data<T>() : nullptr;
    if (v.inner == 1) {
      int64_t grain = std::max<int64_t>(1, kAxisGrain / v.size);
      ParallelFor(pool, v.outer, grain, [&](int64_t begin, int64_t end) {
        int64_t at = begin * v.size, count = (end - begin) * v.size;
        const T* a = ctx.Load<T>(at, count, y + at);
        isa::Call<Rows<T>>(a, b ? b + at : nullptr, end - begin, v.size,
                           y + at);
        ctx.Finish(at, count);
      });
      return;
    }
    if (ctx.has_prologue()) {
      // A slice is read several times: fused neighbors compute it once.
      ParallelFor(pool, out.num_elements(), kAxisGrain,
                  [&](int64_t begin, int64_t end) {
                    ctx.Load<T>(begin, end - begin, y + begin);
                  });
    }
    const T* a = ctx.has_prologue() ? y : ctx.in(0).data<T>();
    int64_t strips = (v.inner + kStripColumns - 1) / kStripColumns;
    int64_t work = v.size * std::min(v.inner, kStripColumns);
    int64_t grain = std::max<int64_t>(1, kAxisGrain / work);
    ParallelFor(pool, v.outer * strips, grain, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        int64_t first = t % strips * kStripColumns;
        int64_t n = std::min(kStripColumns, v.inner - first);
        int64_t at = t / strips * v.size * v.inner + first;
        isa::Call<Columns<T>>(a + at, b ? b + at : nullptr, v.size, v.inner, n,
                              y + at);
        ctx.FinishTile(at, v.size, v.inner, n);
      }
    });
  });
  return OkStatus();
}

}  // namespace sluice
