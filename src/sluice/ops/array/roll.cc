#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints &shifts = c.attr<Ints>("shifts"), &axes = c.attr<Ints>("axes");
  if (shifts.size() != axes.size() && !(axes.empty() && shifts.size() == 1)) {
    return c.Error(StrCat("shifts has ", shifts.size(), " entries, axes has ",
                          axes.size(),
                          "; wanted one shift for each axis, or one shift and "
                          "no axes"));
  }
  for (int64_t axis : axes) {
    if (!x.rank_known()) break;
    SL_ASSIGN_OR_RETURN([[maybe_unused]] int a, c.ResolveAxis(axis, x.rank()));
  }
  return shapes::same_as_first(c);
}

// `shift` as a step of 0 to n - 1.
int64_t Within(int64_t shift, int64_t n) {
  shift %= n;
  return shift < 0 ? shift + n : shift;
}

// Rows along the last rolled axis consist of two parts, which are exchanged;
// the axes before it determine the row of x.
template <class T>
void Rotate(const Shape& shape, const int64_t (&by)[kMaxRank], const T* x, T* y,
            WorkerPool* pool) {
  int axis = shape.rank() - 1;
  int64_t inner = 1, rows = 1;
  for (; axis > 0 && by[axis] == 0; --axis) inner *= shape.dim(axis);
  for (int i = 0; i < axis; ++i) rows *= shape.dim(i);
  int64_t n = shape.dim(axis) * inner, cut = by[axis] * inner;
  auto copy = [](const T* from, int64_t count, T* to) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      CopyBytes(reinterpret_cast<char*>(to),
                reinterpret_cast<const char*>(from),
                count * static_cast<int64_t>(sizeof(T)));
    } else {
      std::copy_n(from, count, to);
    }
  };
  // One long row is divided into pieces.
  constexpr int64_t kPiece = (128 << 10) / static_cast<int64_t>(sizeof(T));
  int64_t pieces = (n + kPiece - 1) / kPiece;
  ParallelFor(pool, rows * pieces,
              std::max<int64_t>(1, kPiece / std::min(n, kPiece)),
              [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  int64_t r = i / pieces, rest = r, at = 0, step = 1;
                  for (int a = axis - 1; a >= 0; --a) {
                    int64_t d = shape.dim(a), k = rest % d - by[a];
                    at += (k < 0 ? k + d : k) * step;
                    step *= d;
                    rest /= d;
                  }
                  const T* from = x + at * n;
                  T* to = y + r * n;
                  int64_t b = i % pieces * kPiece, e = std::min(n, b + kPiece);
                  int64_t middle = std::clamp(cut, b, e);
                  copy(from + n - cut + b, middle - b, to + b);
                  copy(from + middle - cut, e - middle, to + middle);
                }
              });
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &y = ctx.out(0);
  if (x.num_elements() == 0) return OkStatus();
  const Ints &shifts = ctx.attr<Ints>("shifts"), &axes = ctx.attr<Ints>("axes");
  Shape shape = x.shape();
  int64_t by[kMaxRank] = {};
  if (axes.empty()) {
    shape = Shape({x.num_elements()});
    by[0] = shifts.empty() ? 0 : Within(shifts[0], x.num_elements());
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    auto a = static_cast<int>(axes[i] < 0 ? axes[i] + x.rank() : axes[i]);
    by[a] = Within(by[a] + Within(shifts[i], x.dim(a)), x.dim(a));
  }
  auto rotate = [&]<class T>() {
    Rotate(shape, by, static_cast<const T*>(x.raw()),
           static_cast<T*>(y.mutable_raw()), ctx.step().pool);
  };
  if (!DispatchBySize(x.dtype(), rotate)) rotate.operator()<std::string>();
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  const Ints &shifts = attrs.get<Ints>("shifts"),
             &axes = attrs.get<Ints>("axes");
  RefArray y = in[0];
  auto n = static_cast<int64_t>(y.v.size());
  if (axes.empty()) {
    for (int64_t i = 0; i < n && !shifts.empty(); ++i) {
      y.v[static_cast<size_t>(((i + shifts[0] % n) % n + n) % n)] =
          in[0].v[static_cast<size_t>(i)];
    }
    return {y};
  }
  ref::ForEach(y.shape, [&](const Ints& index) {
    Ints to = index;
    for (size_t k = 0; k < axes.size(); ++k) {
      int a = ref::Axis(axes[k], y.shape.rank());
      int64_t d = y.shape.dim(a), &i = to[static_cast<size_t>(a)];
      i = ((i + shifts[k] % d) % d + d) % d;
    }
    y.v[static_cast<size_t>(ref::Flat(y.shape, to))] = ref::At(in[0], index);
  });
  return {y};
}

Attrs By(Ints shifts, Ints axes) {
  return {{"shifts", shifts}, {"axes", axes}};
}

}  // namespace

SL_OP(Roll)
    .doc(
        "x with its elements moved along some axes; what leaves at one end "
        "comes in at the other. Without axes x is rolled as one long row.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("shifts", AttrKind::kInts, "How far, for each of the axes.")
    .attr("axes", Ints{}, "The axes to move along.")
    .shape(Infer)
    .grad([](GradContext& g) {
      const Ints& axes = g.attr<Ints>("axes");
      Ints back = g.attr<Ints>("shifts"), one(back.size(), 1);
      // All but one step of the inverse shift first: the smallest shift cannot
      // be negated.
      bool smallest =
          std::find(back.begin(), back.end(), INT64_MIN) != back.end();
      for (int64_t& shift : back) shift = smallest ? ~shift : -shift;
      GradVar dx = g.call("Roll", {g.dy()}, By(back, axes));
      g.set_dx(0, smallest ? g.call("Roll", {dx}, By(one, axes)) : dx);
    })
    .batch(batch_rules::along_axes)
    .cpu(Launch)
    .reference(Reference)
    .samples({{.in = {{5}}, .attrs = By({2}, {0})},
              {.in = {{3, 4}}, .attrs = By({-1}, {1})},
              {.in = {{3, 4}}, .attrs = By({1, 3}, {0, -1})},
              {.in = {{3, 4, 2}}, .attrs = By({5, -2}, {0, 1})},
              {.in = {{3, 4}}, .attrs = By({3}, {})},
              {.in = {{4}}, .attrs = By({1, 2}, {0, 0})},
              {.in = {{4}}, .attrs = By({INT64_MIN, INT64_MAX}, {0, 0})},
              {.in = {{4}}, .attrs = By({INT64_MIN}, {})},
              {.in = {{4}}, .attrs = By({}, {})},
              {.in = {Shape()}, .attrs = By({1}, {})},
              {.in = {{0, 3}}, .attrs = By({1}, {0})},
              {.in = {{100001}},
               .attrs = By({70001}, {0}),
               .only = {DType::kF32, DType::kC64}},
              {.in = {{70, 33, 5}},
               .attrs = By({40, 7}, {0, 1}),
               .only = {DType::kF32, DType::kI8, DType::kString}}})
    .rejects({{.in = {{3}},
               .attrs = By({1, 2}, {0}),
               .message = "[Roll] shifts has 2 entries, axes has 1; wanted one "
                          "shift for each axis"},
              {.in = {{3}},
               .attrs = By({1, 2}, {}),
               .message = "[Roll] shifts has 2 entries, axes has 0; wanted"},
              {.in = {{3}},
               .attrs = By({1}, {1}),
               .message = "[Roll] axis 1 is out of range"}});

}  // namespace sluice
