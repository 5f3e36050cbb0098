#include <algorithm>
#include <cmath>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/sort_key.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 1));
  const PartialShape &sorted = c.in(0), &values = c.in(1);
  if (sorted.rank_known() && sorted.rank() > 1 && values.rank_known()) {
    bool fits = sorted.rank() == values.rank();
    for (int i = 0; fits && i + 1 < sorted.rank(); ++i) {
      fits = sorted[i] < 0 || values[i] < 0 || sorted[i] == values[i];
    }
    if (!fits) {
      return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                            "; wanted sorted to be a vector, or equal sizes "
                            "but on the last axis"));
    }
  }
  c.set_out(0, values);
  return OkStatus();
}

// The number of the n sorted elements that precede each key (or equal it).
// Ranges are halved without branches, for several keys in turns, so that their
// memory accesses overlap.
constexpr int64_t kTogether = 8;

template <bool right, class T>
void Positions(const T* sorted, int64_t n, const T* values, int64_t count,
               int64_t* y) {
  using Key = typename SortKey<T>::Key;
  Key key[kTogether];
  int64_t first[kTogether] = {};
  for (int64_t i = 0; i < kTogether; ++i) {
    key[i] = SortKey<T>::Of(values[i < count ? i : 0]);
  }
  // The place is in [first, first + left].
  for (int64_t left = n; left > 0;) {
    int64_t half = (left + 1) / 2;
    for (int64_t i = 0; i < kTogether; ++i) {
      Key at = SortKey<T>::Of(sorted[first[i] + half - 1]);
      bool before = right ? at <= key[i] : at < key[i];
      first[i] += before ? half : 0;
    }
    left -= half;
  }
  for (int64_t i = 0; i < count; ++i) y[i] = first[i];
}

template <bool right, class T>
void Search(const T* sorted, int64_t n, const T* values, int64_t m, int64_t* y,
            bool batched, int64_t total, WorkerPool* pool) {
  ParallelFor(pool, total, 1 << 11, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      int64_t row = batched ? begin / m : 0;
      int64_t last = batched ? std::min(end, (row + 1) * m) : end;
      for (; begin < last; begin += kTogether) {
        Positions<right>(sorted + row * n, n, values + begin,
                         std::min(kTogether, last - begin), y + begin);
      }
      begin = last;
    }
  });
}

Status Launch(KernelContext& ctx) {
  const Array &sorted = ctx.in(0), &values = ctx.in(1);
  int64_t total = values.num_elements();
  if (total == 0) return OkStatus();
  int64_t n = sorted.dim(sorted.rank() - 1);
  bool batched = sorted.rank() > 1;
  int64_t m = batched ? values.dim(values.rank() - 1) : total;
  bool right = ctx.attr<bool>("right");
  DispatchReals(sorted.dtype(), [&]<class T>() {
    auto* search = right ? &Search<true, T> : &Search<false, T>;
    search(sorted.data<T>(), n, values.data<T>(), m,
           ctx.out(0).mutable_data<int64_t>(), batched, total, ctx.step().pool);
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  bool right = attrs.get<bool>("right");
  int64_t n = in[0].shape.dim(in[0].shape.rank() - 1);
  return {ref::Build(in[1].shape, [&](Ints index) {
    double v = ref::At(in[1], index), count = 0;
    if (in[0].shape.rank() == 1) index.assign(1, 0);
    for (index.back() = 0; index.back() < n; ++index.back()) {
      double s = ref::At(in[0], index);
      // NaN is ordered after every number.
      bool less = std::isnan(v) ? !std::isnan(s) : s < v;
      bool equal = std::isnan(v) ? std::isnan(s) : s == v;
      count += less || (right && equal);
    }
    return count;
  })};
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Array InOrder(int64_t n) {
  Array a = Array::Zeros(DType::kF32, Shape({n}));
  for (int64_t i = 0; i < n; ++i) {
    a.mutable_data<float>()[i] = static_cast<float>(i / 3);
  }
  return a;
}
template <class T>
Sample Small(bool right) {
  auto n = [](int v) { return T(static_cast<float>(v)); };
  return {.in = {Array::Vector<T>({n(1), n(2), n(2), n(5), n(9)}),
                 Array::Of<T>({2, 3}, {n(0), n(1), n(2), n(3), n(9), n(10)})},
          .attrs = {{"right", right}}};
}

std::vector<Sample> Samples() {
  std::vector<Sample> out;
  for (bool right : {false, true}) {
    for (const Sample& s :
         {Small<float>(right), Small<double>(right), Small<f16>(right),
          Small<bf16>(right), Small<int8_t>(right), Small<int16_t>(right),
          Small<int32_t>(right), Small<int64_t>(right), Small<uint8_t>(right),
          Small<uint16_t>(right), Small<uint32_t>(right),
          Small<uint64_t>(right)}) {
      out.push_back(s);
    }
    Attrs attrs{{"right", right}};
    out.push_back({.in = {Array::Of<float>({2, 3}, {1, 2, 3, -1, 0, 0}),
                          Array::Of<float>({2, 4}, {0, 1, 5, 2, 0, -1, 3, -9})},
                   .attrs = attrs});
    out.push_back({.in = {Array::Vector<float>({-1, -0.0f, 0, 1, kNan, kNan}),
                          Array::Vector<float>({0, -0.0f, kNan, 2, -kNan})},
                   .attrs = attrs});
    out.push_back({.in = {Array::Zeros(DType::kF32, {0}), {3}},
                   .attrs = attrs,
                   .only = {DType::kF32}});
    out.push_back({.in = {InOrder(3), {0, 2}}, .only = {DType::kF32}});
    out.push_back({.in = {InOrder(1000), {70, 100}},
                   .attrs = attrs,
                   .lo = -10,
                   .hi = 400,
                   .only = {DType::kF32}});
  }
  return out;
}

}  // namespace

SL_OP(SearchSorted)
    .doc(
        "Where each of values belongs in sorted: before the first element that "
        "is not smaller, or (right) behind the last that is not larger. sorted "
        "is a vector, or has a row for each row of values; NaN stands behind "
        "every number. In rows that are not in order the result is some place.")
    .input("sorted: T")
    .input("values: T")
    .output("y: i64")
    .types("T", kReals)
    .attr("right", false, "Behind equal elements instead of before them.")
    .shape(Infer)
    .batch([](BatchContext& b) {
      // A vector is searched for any values; rows each for its own.
      if (b.batched(0) && b.rank(0) != b.rank(1)) return false;
      return batch_rules::leading(b);
    })
    .cpu(Launch)
    .reference(Reference)
    .samples(Samples())
    .rejects({{.in = {Shape(), {2}},
               .message = "[SearchSorted] sorted is f32[]; wanted rank 1 or "
                          "more"},
              {.in = {{2, 3}, {3, 3}},
               .message = "[SearchSorted] sorted is f32[2,3], values is "
                          "f32[3,3]; wanted sorted to be a vector, or equal"},
              {.in = {{2, 3}, {3}},
               .message = "[SearchSorted] sorted is f32[2,3], values is f32[3]"
                          "; wanted"}});

}  // namespace sluice
