#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/copy.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/record.h"
#include "sluice/ops/array/pad_grad.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

using namespace pad_mode;

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints& pads = c.attr<Ints>("paddings");
  for (size_t i = 0; i < pads.size(); ++i) {
    if (pads[i] < 0) {
      return c.Error(
          StrCat("paddings[", i, "] is ", pads[i], "; wanted at least 0"));
    }
  }
  if (pads.size() % 2 != 0 ||
      (x.rank_known() && pads.size() != 2 * static_cast<size_t>(x.rank()))) {
    return c.Error(StrCat(c.Describe(0), ", paddings has ", pads.size(),
                          " entries; wanted two per axis"));
  }
  for (int i = 0; x.rank_known() && i < x.rank(); ++i) {
    auto k = 2 * static_cast<size_t>(i);
    int64_t most = x[i] < 0 ? INT64_MAX : Reach(ModeOf(c.attrs()), x[i]);
    if (pads[k] > most || pads[k + 1] > most) {
      return c.Error(StrCat(c.Describe(0), ", paddings of axis ", i, " are ",
                            pads[k], " and ", pads[k + 1], "; wanted at most ",
                            most, " in mode ", c.attr<std::string>("mode")));
    }
  }
  if (!x.rank_known()) {
    if (pads.size() <= 2 * kMaxRank) {
      c.set_out(0, PartialShape::OfRank(static_cast<int>(pads.size() / 2)));
    }
    return OkStatus();
  }
  Ints dims(x.dims().begin(), x.dims().end());
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t before = pads[2 * i], after = pads[2 * i + 1];
    if (dims[i] < 0) {
      if (before != 0 || after != 0) dims[i] = kUnknownDim;
    } else if (!CheckedAdd(dims[i], before, &dims[i]) ||
               !CheckedAdd(dims[i], after, &dims[i])) {
      dims[i] = INT64_MAX;  // too many elements, reported by the next line
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

// Output rows are computed one by one: a border, a run of x, a border. The axes
// behind the last padded one belong to the row's elements.
struct Plan {
  Mode mode;
  const Ints& pads;
  const Shape &x, &y;
  int axis = 0;  // the last padded one
  int64_t inner = 1, rows = 1;
  Plan(KernelContext& ctx)
      : mode(ModeOf(ctx.attrs())),
        pads(ctx.attr<Ints>("paddings")),
        x(ctx.in(0).shape()),
        y(ctx.out(0).shape()) {
    axis = x.rank() - 1;
    for (; axis > 0 && x.dim(axis) == y.dim(axis); --axis) inner *= x.dim(axis);
    for (int i = 0; i < axis; ++i) rows *= y.dim(i);
  }
  int64_t before(int i) const { return pads[2 * static_cast<size_t>(i)]; }
};

// Iterates over output rows and returns the row of x for each.
class RowWalk {
 public:
  RowWalk(const Plan& p, int64_t row) : p_(p) {
    for (int i = p.axis - 1; i >= 0; --i) {
      index_[i] = row % p.y.dim(i);
      row /= p.y.dim(i);
    }
    PlaceOuter();
  }
  // The row of x; -1: border only.
  int64_t source() const {
    int last = p_.axis - 1;
    if (last < 0 || outer_ < 0) return outer_;
    int64_t at = Along(last);
    return at < 0 ? -1 : outer_ + at;
  }
  void Next() {
    int i = p_.axis - 1;
    if (i < 0 || ++index_[i] < p_.y.dim(i)) return;
    for (index_[i] = 0; --i >= 0; index_[i] = 0) {
      if (++index_[i] < p_.y.dim(i)) break;
    }
    PlaceOuter();
  }

 private:
  int64_t Along(int i) const {
    return SourceOf(p_.mode, index_[i] - p_.before(i), p_.x.dim(i));
  }
  // Computes the contribution of all axes but the last of them.
  void PlaceOuter() {
    int64_t step = p_.axis > 0 ? p_.x.dim(p_.axis - 1) : 1;
    outer_ = 0;
    for (int i = p_.axis - 2; i >= 0 && outer_ >= 0; --i) {
      int64_t at = Along(i);
      outer_ = at < 0 ? -1 : outer_ + at * step;
      step *= p_.x.dim(i);
    }
  }
  const Plan& p_;
  int64_t index_[kMaxRank] = {}, outer_ = 0;
};

template <class T>
void PadRows(const Plan& p, const T* x, T value, T* y, WorkerPool* pool) {
  int64_t n = p.x.dim(p.axis), m = p.y.dim(p.axis), first = p.before(p.axis);
  int64_t row_size = m * p.inner, bytes = n * p.inner * int64_t{sizeof(T)};
  auto fill = [&](T* to, int64_t count) {
    if (count >= 16) {
      std::fill_n(to, count, value);
      return;
    }
    for (int64_t k = 0; k < count; ++k) to[k] = value;
  };
  auto border = [&](const T* row, T* to, int64_t begin, int64_t end) {
    if (p.mode == Mode::kConstant) {
      return fill(to + begin * p.inner, (end - begin) * p.inner);
    }
    for (int64_t i = begin; i < end; ++i) {
      const T* from = row + SourceOf(p.mode, i - first, n) * p.inner;
      T* at = to + i * p.inner;
      for (int64_t k = 0; k < p.inner; ++k) at[k] = from[k];
    }
  };
  int64_t grain = std::max<int64_t>(
      1, (128 << 10) / (row_size * static_cast<int64_t>(sizeof(T))));
  ParallelFor(pool, p.rows, grain, [&](int64_t begin, int64_t end) {
    RowWalk walk(p, begin);
    for (int64_t r = begin; r < end; ++r, walk.Next()) {
      int64_t at = n > 0 ? walk.source() : -1;
      T* to = y + r * row_size;
      if (at < 0) {
        fill(to, row_size);
        continue;
      }
      const T* row = x + at * n * p.inner;
      border(row, to, 0, first);
      CopyBytes(reinterpret_cast<char*>(to + first * p.inner),
                reinterpret_cast<const char*>(row), bytes);
      border(row, to, first + n, m);
    }
  });
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (y.num_elements() == 0) return OkStatus();
  ElementBytes value = ElementOf(ctx.attr<double>("value"), y.dtype());
  if (y.rank() == 0) {
    CopyStrided(x, y);
    return OkStatus();
  }
  Plan plan(ctx);
  DispatchBySize(y.dtype(), [&]<class T>() {
    T v;
    std::memcpy(&v, value.bytes, sizeof v);
    PadRows(plan, static_cast<const T*>(x.raw()), v,
            static_cast<T*>(y.mutable_raw()), ctx.step().pool);
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Ints& pads = attrs.get<Ints>("paddings");
  Ints dims = ref::DimsOf(in[0].shape);
  for (size_t i = 0; i < dims.size(); ++i)
    dims[i] += pads[2 * i] + pads[2 * i + 1];
  const auto& mode = attrs.get<std::string>("mode");
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    for (size_t i = 0; i < index.size(); ++i) {
      int64_t at = index[i] - pads[2 * i];
      int64_t n = in[0].shape.dim(static_cast<int>(i));
      if (mode == "constant" && (at < 0 || at >= n)) {
        return attrs.get<double>("value");
      }
      // A path that reverses at the ends, or continues at the opposite one.
      int64_t end = mode == "reflect" ? 2 * n - 2 : 2 * n;
      if (mode == "edge") at = std::min(std::max<int64_t>(at, 0), n - 1);
      if (mode == "wrap") at = (at + n) % n;
      if (mode == "reflect") at = std::min(std::abs(at), end - std::abs(at));
      if (mode == "symmetric" && at < 0) at = -1 - at;
      if (mode == "symmetric") at = std::min(at, end - 1 - at);
      index[i] = at;
    }
    return ref::At(in[0], index);
  })};
}

Attrs Padded(const char* mode, Ints paddings) {
  return {{"paddings", paddings}, {"mode", mode}};
}

}  // namespace

SL_OP(Pad)
    .doc(
        "x with a border. Its elements are one value (mode constant), the "
        "nearest element of x (edge), x seen in a mirror without (reflect) or "
        "with (symmetric) the element at the end, or x again (wrap).")
    .input("x: T")
    .output("y: T")
    .types("T", kPlain)
    .attr("paddings", AttrKind::kInts,
          "For each axis, how many elements before and how many after.")
    .attr("value", 0.0, "The border's value in mode constant.")
    .attr("mode", "constant", "What the border shows.")
    .one_of({"constant", "edge", "reflect", "symmetric", "wrap"})
    .shape(Infer)
    .grad(pad_mode::rule)
    .batch([](BatchContext& b) {
      using batch_rules::prepended;
      Attrs attrs = b.attrs();
      const auto& around = b.attr<batch_rules::Ints>("paddings");
      attrs.set("paddings", prepended(0, prepended(0, around)));
      return b.set_all({b.in(0)}, attrs);
    })
    .cpu(Launch)
    .reference(Reference)
    .samples(
        {{.in = {{3}}, .attrs = {{"paddings", Ints{1, 2}}}},
         {.in = {{2, 3}},
          .attrs = {{"paddings", Ints{1, 0, 0, 2}}, {"value", 1}}},
         {.in = {Shape()}, .attrs = {{"paddings", Ints{}}}},
         {.in = {{2, 2}}, .attrs = {{"paddings", Ints{0, 0, 0, 0}}}},
         {.in = {{0, 2}},
          .attrs = {{"paddings", Ints{1, 1, 1, 0}}, {"value", 1.0}}},
         {.in = {{0, 2}}, .attrs = {{"paddings", Ints{0, 0, 1, 0}}}},
         {.in = {{2, 3, 4}}, .attrs = {{"paddings", Ints{1, 1, 2, 0, 0, 0}}}},
         {.in = {{65, 70}},
          .attrs = {{"paddings", Ints{300, 30, 7, 350}}, {"value", 1}},
          .only = {DType::kF32, DType::kF16, DType::kI8, DType::kC64}},
         {.in = {{4}}, .attrs = Padded("reflect", {3, 2})},
         {.in = {{4}}, .attrs = Padded("symmetric", {4, 3})},
         {.in = {{4}}, .attrs = Padded("edge", {9, 5})},
         {.in = {{4}}, .attrs = Padded("wrap", {4, 1})},
         {.in = {{3, 4, 2}}, .attrs = Padded("reflect", {1, 2, 0, 3, 1, 0})},
         {.in = {{3, 4, 2}}, .attrs = Padded("edge", {2, 0, 1, 1, 0, 0})},
         {.in = {{3, 4}}, .attrs = Padded("symmetric", {3, 0, 2, 1})},
         {.in = {{3, 4}}, .attrs = Padded("wrap", {0, 3, 2, 2})},
         {.in = {{1, 2}}, .attrs = Padded("reflect", {0, 0, 1, 0})},
         {.in = {{0, 3}}, .attrs = Padded("edge", {0, 0, 1, 1})}})
    .rejects(
        {{.in = {{3}},
          .attrs = {{"paddings", Ints{-1, 2}}},
          .message = "[Pad] paddings[0] is -1; wanted at least 0"},
         {.in = {{3}},
          .attrs = {{"paddings", Ints{1}}},
          .message = "[Pad] x is f32[3], paddings has 1 entries; wanted two "
                     "per axis"},
         {.in = {{3}},
          .attrs = {{"paddings", Ints{1, 1, 1, 1}}},
          .message = "[Pad] x is f32[3], paddings has 4 entries; wanted"},
         {.in = {{3}},
          .attrs = {{"paddings", Ints{INT64_MAX, INT64_MAX}}},
          .message = "[Pad] shape [9223372036854775807] has too many "
                     "elements"},
         {.in = {{3}},
          .attrs = Padded("reflect", {0, 3}),
          .message = "[Pad] x is f32[3], paddings of axis 0 are 0 and 3; "
                     "wanted at most 2 in mode reflect"},
         {.in = {{3}},
          .attrs = Padded("symmetric", {4, 0}),
          .message = "[Pad] x is f32[3], paddings of axis 0 are 4 and 0; "
                     "wanted at most 3 in mode symmetric"},
         {.in = {{3}},
          .attrs = Padded("wrap", {4, 0}),
          .message = "[Pad] x is f32[3], paddings of axis 0 are 4 and 0"},
         {.in = {{0}},
          .attrs = Padded("edge", {1, 0}),
          .message = "[Pad] x is f32[0], paddings of axis 0 are 1 and 0; "
                     "wanted at most 0 in mode edge"}});

}  // namespace sluice
