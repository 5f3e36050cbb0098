#include <algorithm>
#include <span>
#include <string>

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/reference.h"
#include "sluice/kernels/shape_value.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/array_grad.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  const PartialShape& x = c.in(0);
  const Ints& times = c.attr<Ints>("multiples");
  if (x.rank_known() && times.size() != static_cast<size_t>(x.rank())) {
    return c.Error(StrCat(c.Describe(0), ", multiples has ", times.size(),
                          " entries; wanted one per axis"));
  }
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] < 0) {
      return c.Error(
          StrCat("multiples[", i, "] is ", times[i], "; wanted at least 0"));
    }
  }
  if (!x.rank_known()) return OkStatus();
  Ints dims(x.dims().begin(), x.dims().end());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) {
      dims[i] = times[i] == 0 ? 0 : times[i] == 1 ? dims[i] : kUnknownDim;
    } else if (!CheckedMul(dims[i], times[i], &dims[i])) {
      dims[i] = INT64_MAX;
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

// An output row repeats a block of x; the axes behind the last repeated one
// belong to the block. Rows are divided into pieces of some copies each: in a
// piece the first copy is read from x, the others from the piece itself, in
// runs of doubling length, so that small blocks cost no more.
template <class T>
void Repeat(const T* from, int64_t block, int64_t copies, T* to) {
  int64_t done = 0, total = block * copies;
  auto append = [&](const T* source, int64_t n) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      CopyBytes(reinterpret_cast<char*>(to + done),
                reinterpret_cast<const char*>(source),
                n * static_cast<int64_t>(sizeof(T)));
    } else {
      std::copy_n(source, n, to + done);
    }
    done += n;
  };
  append(from, block);
  while (done < total) append(to, std::min(done, total - done));
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &out = ctx.out(0);
  if (out.num_elements() == 0) return OkStatus();
  const Ints& times = ctx.attr<Ints>("multiples");
  int axis = x.rank() - 1;
  int64_t block = 1, copies = 1, rows = 1;
  for (; axis >= 0; --axis) {
    block *= x.dim(axis);
    copies = times[static_cast<size_t>(axis)];
    if (copies != 1) break;
  }
  for (int i = 0; i < axis; ++i) rows *= out.dim(i);
  // The block of x that output row r shows.
  auto source = [&](int64_t r) {
    int64_t at = 0, step = 1;
    for (int i = axis - 1; i >= 0; --i) {
      at += r % out.dim(i) % x.dim(i) * step;
      r /= out.dim(i);
      step *= x.dim(i);
    }
    return at;
  };
  auto copy = [&]<class T>() {
    const T* from = static_cast<const T*>(x.raw());
    T* to = static_cast<T*>(out.mutable_raw());
    constexpr int64_t kPiece = (32 << 10) / static_cast<int64_t>(sizeof(T));
    int64_t each = std::clamp<int64_t>(kPiece / block, 1, copies);
    int64_t pieces = (copies + each - 1) / each;
    ParallelFor(ctx.step().pool, rows * pieces,
                std::max<int64_t>(1, 2 * kPiece / (each * block)),
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) {
                    int64_t r = i / pieces, first = i % pieces * each;
                    Repeat(from + source(r) * block, block,
                           std::min(each, copies - first),
                           to + (r * copies + first) * block);
                  }
                });
  };
  if (!DispatchBySize(x.dtype(), copy)) copy.operator()<std::string>();
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  Ints dims = ref::DimsOf(in[0].shape);
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] *= attrs.get<Ints>("multiples")[i];
  }
  return {ref::Build(ref::MakeShape(dims), [&](Ints index) {
    for (size_t i = 0; i < index.size(); ++i) {
      index[i] %= in[0].shape.dim(static_cast<int>(i));
    }
    return ref::At(in[0], index);
  })};
}

// Sums dy over the copies along some axes: these are viewed as copies and
// elements, and the axes between them as one. `sizes` are those of dy.
GradVar SumCopies(GradContext& g, GradVar dy, std::span<const size_t> axes,
                  Ints& sizes) {
  Ints seen, sums;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) != axes.end()) {
      sums.push_back(static_cast<int64_t>(seen.size()));
      seen.push_back(g.attr<Ints>("multiples")[i]);
      sizes[i] = g.in(0).shape()[static_cast<int>(i)];
      seen.push_back(sizes[i]);
    } else if (seen.empty()) {
      seen.push_back(sizes[i]);
    } else {
      seen.back() *= sizes[i];
    }
  }
  return g.call("Sum", {g.call("Reshape", {dy, g.ints(seen)})},
                {{"axes", sums}});
}

void Rule(GradContext& g) {
  const Ints& times = g.attr<Ints>("multiples");
  std::vector<size_t> tiled;
  for (size_t i = 0; i < times.size(); ++i) {
    if (times[i] != 1) tiled.push_back(i);
  }
  if (tiled.empty()) return g.set_dx(0, g.dy());
  PartialShape x = g.in(0).shape();
  if (x.fully_known()) {
    GradVar dx = g.dy();
    Ints sizes;
    for (size_t i = 0; i < times.size(); ++i) {
      sizes.push_back(times[i] * x[static_cast<int>(i)]);
    }
    // All at once could be more axes than an array may have.
    constexpr size_t kAtOnce = (kMaxRank - 1) / 2;
    for (size_t i = 0; i < tiled.size(); i += kAtOnce) {
      size_t n = std::min(kAtOnce, tiled.size() - i);
      dx = SumCopies(g, dx, {tiled.data() + i, n}, sizes);
    }
    return g.set_dx(0, g.reshape_as(dx, g.in(0)));
  }
  if (2 * times.size() > kMaxRank) {
    return g.fail("the gradient needs to know the sizes of x");
  }
  // [times[0], x.dim(0), times[1], x.dim(1), ...]
  GradVar seen =
      g.call("Stack", {g.ints(times), g.shape_of(g.in(0))}, {{"axis", 1}});
  seen = g.call("Reshape", {seen, g.ints({-1})});
  Ints sums;
  for (size_t i = 0; i < times.size(); ++i) {
    sums.push_back(2 * static_cast<int64_t>(i));
  }
  g.set_dx(
      0, g.call("Sum", {g.call("Reshape", {g.dy(), seen})}, {{"axes", sums}}));
}

}  // namespace

SL_OP(Tile)
    .doc("x repeated along its axes.")
    .input("x: T")
    .output("y: T")
    .types("T", kAnyData)
    .attr("multiples", AttrKind::kInts, "How often, one number per axis.")
    .shape(Infer)
    .grad(Rule)
    .batch([](BatchContext& b) {
      const auto& multiples = b.attr<batch_rules::Ints>("multiples");
      return b.set_all({b.in(0)},
                       {{"multiples", batch_rules::prepended(1, multiples)}});
    })
    .cpu(Launch)
    .fails_for_sizes_only()
    .reference(Reference)
    .samples({{.in = {{3}}, .attrs = {{"multiples", Ints{2}}}},
              {.in = {{2, 3}}, .attrs = {{"multiples", Ints{2, 3}}}},
              {.in = {{2, 3}}, .attrs = {{"multiples", Ints{1, 1}}}},
              {.in = {Shape()}, .attrs = {{"multiples", Ints{}}}},
              {.in = {{2, 3}}, .attrs = {{"multiples", Ints{0, 2}}}},
              {.in = {{0, 3}}, .attrs = {{"multiples", Ints{4, 2}}}},
              {.in = {{2, 3, 2}}, .attrs = {{"multiples", Ints{2, 3, 1}}}},
              {.in = {{2, 1, 2, 3}},
               .attrs = {{"multiples", Ints{2, 3, 2, 2}}}},
              {.in = {{2, 1, 3}}, .attrs = {{"multiples", Ints{1, 5, 2}}}},
              {.in = {{1}},
               .attrs = {{"multiples", Ints{70001}}},
               .only = {DType::kF32, DType::kU8, DType::kString}},
              {.in = {{2, 3, 5}},
               .attrs = {{"multiples", Ints{3, 200, 7}}},
               .only = {DType::kF32, DType::kBF16, DType::kC64}}})
    .rejects(
        {{.in = {{2, 3}},
          .attrs = {{"multiples", Ints{2}}},
          .message = "[Tile] x is f32[2,3], multiples has 1 entries; wanted "
                     "one per axis"},
         {.in = {{2}},
          .attrs = {{"multiples", Ints{-1}}},
          .message = "[Tile] multiples[0] is -1; wanted at least 0"},
         {.in = {{2}},
          .attrs = {{"multiples", Ints{INT64_MAX}}},
          .message = "[Tile] shape [9223372036854775807] has too many "
                     "elements"}});

}  // namespace sluice
