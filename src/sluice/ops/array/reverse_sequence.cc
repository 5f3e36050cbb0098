#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/indices.h"
#include "sluice/kernels/reference.h"
#include "sluice/op/grad_context.h"
#include "sluice/tensor/copy_bytes.h"
#include "sluice/tensor/dispatch.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRankAtLeast(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  const PartialShape &x = c.in(0), &lengths = c.in(1);
  if (x.rank_known()) {
    SL_ASSIGN_OR_RETURN(int seq,
                        c.ResolveAxis(c.attr<int64_t>("seq_axis"), x.rank()));
    SL_ASSIGN_OR_RETURN(int batch,
                        c.ResolveAxis(c.attr<int64_t>("batch_axis"), x.rank()));
    if (seq == batch) {
      return c.Error(StrCat("seq_axis and batch_axis are both ", seq,
                            "; wanted two axes"));
    }
    if (lengths.rank_known() && lengths[0] >= 0 && x[batch] >= 0 &&
        lengths[0] != x[batch]) {
      return c.Error(StrCat(c.Describe(0), ", ", c.Describe(1),
                            "; wanted one length for each index along axis ",
                            batch));
    }
  }
  return shapes::same_as_first(c);
}

// x as [a, first, b, second, row]: the two axes and the axes around them.
struct View {
  int seq, batch;
  int64_t first, b, second, row = 1, rows = 1;
  View(const Shape& shape, const Attrs& attrs) {
    auto axis = [&](std::string_view name) {
      int64_t i = attrs.get<int64_t>(name);
      return static_cast<int>(i < 0 ? i + shape.rank() : i);
    };
    seq = axis("seq_axis");
    batch = axis("batch_axis");
    int low = std::min(seq, batch), high = std::max(seq, batch);
    first = shape.dim(low);
    second = shape.dim(high);
    b = 1;
    for (int i = 0; i < shape.rank(); ++i) {
      if (i > low && i < high) b *= shape.dim(i);
      (i > high ? row : rows) *= shape.dim(i);
    }
  }
};

template <class T, class I>
void ReverseRows(const View& v, const I* lengths, const T* x, T* y,
                 WorkerPool* pool) {
  bool seq_first = v.seq < v.batch;
  // The distance, in rows, of neighbours in a sequence.
  int64_t step = seq_first ? v.b * v.second : 1;
  ParallelFor(pool, v.rows, std::max<int64_t>(1, (1 << 14) / v.row),
              [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; ++r) {
                  int64_t low = r / (v.b * v.second) % v.first,
                          high = r % v.second;
                  int64_t s = seq_first ? low : high;
                  int64_t n = lengths[seq_first ? high : low];
                  int64_t from = s < n ? r + (n - 1 - 2 * s) * step : r;
                  if constexpr (std::is_trivially_copyable_v<T>) {
                    CopyBytes(reinterpret_cast<char*>(y + r * v.row),
                              reinterpret_cast<const char*>(x + from * v.row),
                              v.row * static_cast<int64_t>(sizeof(T)));
                  } else {
                    std::copy_n(x + from * v.row, v.row, y + r * v.row);
                  }
                }
              });
}

Status Launch(KernelContext& ctx) {
  const Array &x = ctx.in(0), &lengths = ctx.in(1), &y = ctx.out(0);
  View v(x.shape(), ctx.attrs());
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, x.dim(v.seq) + 1));
  if (x.num_elements() == 0) return OkStatus();
  DispatchIndex(lengths.dtype(), [&]<class I>() {
    auto reverse = [&]<class T>() {
      ReverseRows(v, lengths.data<I>(), static_cast<const T*>(x.raw()),
                  static_cast<T*>(y.mutable_raw()), ctx.step().pool);
    };
    if (!DispatchBySize(x.dtype(), reverse)) {
      reverse.template operator()<std::string>();
    }
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  int rank = in[0].shape.rank();
  auto seq =
      static_cast<size_t>(ref::Axis(attrs.get<int64_t>("seq_axis"), rank));
  auto batch =
      static_cast<size_t>(ref::Axis(attrs.get<int64_t>("batch_axis"), rank));
  return {ref::Build(in[0].shape, [&](Ints index) {
    auto n = static_cast<int64_t>(in[1].v[static_cast<size_t>(index[batch])]);
    if (index[seq] < n) index[seq] = n - 1 - index[seq];
    return ref::At(in[0], index);
  })};
}

Attrs Axes(int64_t seq, int64_t batch) {
  return {{"seq_axis", seq}, {"batch_axis", batch}};
}

}  // namespace

SL_OP(ReverseSequence)
    .doc(
        "x with the beginning of each sequence reversed: the first lengths[b] "
        "elements along seq_axis for index b along batch_axis; the rest stays.")
    .input("x: T")
    .input("lengths: I")
    .output("y: T")
    .types("T", kAnyData)
    .types("I", kIndices)
    .attr("seq_axis", 1, "The axis along which sequences run.")
    .attr("batch_axis", 0, "The axis that counts the sequences.")
    .shape(Infer)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("ReverseSequence", {g.dy(), g.in(1)}, g.attrs()));
    })
    .cpu(Launch)
    .reference(Reference)
    .samples(
        {{.in = {{3, 5}, {3}}, .lo = 0, .hi = 5},
         {.in = {{4, 3, 2}, {3}}, .attrs = Axes(0, 1), .lo = 0, .hi = 4},
         {.in = {{2, 3, 4, 2}, {2}}, .attrs = Axes(2, 0), .lo = 0, .hi = 4},
         {.in = {{4, 2, 3, 2}, {3}}, .attrs = Axes(0, -2), .lo = 0, .hi = 4},
         {.in = {{0, 4}, {0}}},
         {.in = {{2, 0}, {2}}, .lo = 0, .hi = 0},
         {.in = {{70, 90, 11}, {70}},
          .lo = 0,
          .hi = 90,
          .only = {DType::kF32, DType::kI8}}})
    .rejects(
        {{.in = {{2, 3}, Array::Vector<int64_t>({1, 4})},
          .message = "[ReverseSequence] lengths[1] is 4; wanted 0 <= index "
                     "< 4"},
         {.in = {{2, 3}, Array::Vector<int32_t>({-1, 1})},
          .message = "[ReverseSequence] lengths[0] is -1; wanted 0 <= "},
         {.in = {{2, 3}, Array::Vector<int64_t>({1})},
          .message = "[ReverseSequence] x is f32[2,3], lengths is i64[1]; "
                     "wanted one length for each index along axis 0"},
         {.in = {{2, 3}, Array::Vector<int64_t>({1, 1})},
          .attrs = Axes(0, -2),
          .message = "[ReverseSequence] seq_axis and batch_axis are both "
                     "0; wanted two axes"},
         {.in = {{2}, Array::Vector<int64_t>({1, 1})},
          .message = "[ReverseSequence] x is f32[2]; wanted rank 2 or "
                     "more"},
         {.in = {{2, 3}, Array::Vector<int64_t>({1, 1})},
          .attrs = Axes(2, 0),
          .message = "[ReverseSequence] axis 2 is out of range"}});

}  // namespace sluice
