#include "sluice/ops/nn/embedding_bag.h"

#include "sluice/kernels/cpu/ask_for_row.h"
#include "sluice/kernels/cpu/indices.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  SL_RETURN_IF_ERROR(c.WantRank(2, 1));
  const int64_t dims[] = {c.in(2).rank_known() ? c.in(2)[0] : kUnknownDim,
                          c.in(0).rank_known() ? c.in(0)[1] : kUnknownDim};
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

// y = the sum of rows of the table, times scale; a strip of columns at a time,
// so that the sum stays in the first cache while rows pass by.
template <class T, class I>
struct SumRows {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* table, const I* index, int64_t count,
                            int64_t columns, C scale, T* y) {
    constexpr int64_t kStrip = 256;
    constexpr int64_t kAhead = 16;  // rows in flight at once
    for (int64_t first = 0; first < columns; first += kStrip) {
      int64_t n = std::min(kStrip, columns - first);
      C sum[kStrip] = {};
      auto ask = [&](int64_t k) {
        const T* row = table + index[k] * columns + first;
        AskForRow(reinterpret_cast<const char*>(row),
                  n * static_cast<int64_t>(sizeof(T)));
      };
      for (int64_t k = 0; k < std::min(kAhead, count); ++k) ask(k);
      for (int64_t k = 0; k < count; ++k) {
        const T* row = table + index[k] * columns + first;
        if (k + kAhead < count) ask(k + kAhead);
        SL_VECTORIZE
        for (int64_t i = 0; i < n; ++i) sum[i] += static_cast<C>(row[i]);
      }
      SL_VECTORIZE
      for (int64_t i = 0; i < n; ++i) {
        y[first + i] = static_cast<T>(sum[i] * scale);
      }
    }
  }
};

Status Launch(KernelContext& ctx) {
  const Array &table = ctx.in(0), &indices = ctx.in(1), &offsets = ctx.in(2);
  int64_t count = indices.num_elements(), columns = table.dim(1);
  bool mean = ctx.attr<std::string>("mode") == "mean";
  SL_RETURN_IF_ERROR(bags::CheckOffsets(ctx, 2, count));
  SL_RETURN_IF_ERROR(CheckIndices(ctx, 1, table.dim(0)));
  DispatchIndex(indices.dtype(), [&]<class I>() {
    const I* index = indices.data<I>();
    DispatchFloats(table.dtype(), [&]<class T>() {
      using C = Compute<T>;
      T* y = ctx.out(0).mutable_data<T>();
      int64_t per_bag = columns * (count / (offsets.num_elements() + 1) + 1);
      ParallelFor(ctx.step().pool, offsets.num_elements(),
                  (1 << 14) / (per_bag + 1) + 1,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t b = begin; b < end; ++b) {
                      int64_t at = bags::Begin(offsets, b);
                      int64_t n = bags::End(offsets, b, count) - at;
                      C scale = mean && n > 0 ? 1 / static_cast<C>(n) : C(1);
                      isa::Call<SumRows<T, I>>(table.data<T>(), index + at, n,
                                               columns, scale, y + b * columns);
                    }
                    ctx.Finish(begin * columns, (end - begin) * columns);
                  });
    });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto bag = bags::BagOf(in[2], in[1].v.size());
  bool mean = attrs.get<std::string>("mode") == "mean";
  Shape shape = ref::MakeShape({in[2].shape.dim(0), in[0].shape.dim(1)});
  return {ref::Build(shape, [&](const Ints& at) {
    double sum = 0, n = 0;
    for (size_t k = 0; k < bag.size(); ++k) {
      if (bag[k] != static_cast<size_t>(at[0])) continue;
      sum += ref::At(in[0], {static_cast<int64_t>(in[1].v[k]), at[1]});
      n += 1;
    }
    return mean && n > 0 ? sum / n : sum;
  })};
}

}  // namespace

SL_OP(EmbeddingBag)
    .doc(
        "Sums or means of rows of a table: bag b is made of the rows whose "
        "indices are indices[offsets[b]] up to indices[offsets[b + 1]], the "
        "last bag of all that are left. A bag of none is 0.")
    .input("table: T")
    .input("indices: I")
    .input("offsets: I")
    .output("y: T")
    .types("T", kFloats)
    .types("I", kIndices)
    .attr("mode", "sum", "sum or mean.")
    .one_of({"sum", "mean"})
    .shape(Infer)
    .grad([](GradContext& g) {
      GradVar rows =
          g.call("EmbeddingBagGrad", {g.dy(), g.in(1), g.in(2)}, g.attrs());
      GradVar count = bags::RowCount(g, g.in(0));
      g.set_dx(0, g.call("UnsortedSegmentSum", {rows, g.in(1), count}));
    })
    .cpu(Launch)
    .fuse_output()
    .tolerance(2e-6)
    .reference(Reference)
    .samples({{.in = {{4, 3},
                      Array::Vector<int64_t>({0, 3, 3, 1}),
                      Array::Vector<int64_t>({0, 2})}},
              {.in = {{4, 3},
                      Array::Vector<int32_t>({0, 3, 3, 1}),
                      Array::Vector<int32_t>({0, 0, 3, 4})},
               .attrs = {{"mode", "mean"}}},
              {.in = {{5, 600},
                      Array::Vector<int64_t>({4, 0, 1, 2, 3, 4, 4, 4}),
                      Array::Vector<int64_t>({0, 7})},
               .only = {DType::kF32}},
              {.in = {{4, 0},
                      Array::Vector<int64_t>({0}),
                      Array::Vector<int64_t>({0})}},
              {.in = {{0, 3}, {0}, {0}}}})
    .rejects(
        {{.in = {{3, 2},
                 Array::Vector<int64_t>({0, 3}),
                 Array::Vector<int64_t>({0})},
          .message = "[EmbeddingBag] indices[1] is 3; wanted 0 <= index < 3"},
         {.in = {{3, 2},
                 Array::Vector<int32_t>({-1}),
                 Array::Vector<int32_t>({0})},
          .message = "[EmbeddingBag] indices[0] is -1; wanted 0 <= index < 3"},
         {.in = {{3, 2},
                 Array::Vector<int64_t>({0, 1}),
                 Array::Vector<int64_t>({1})},
          .message = "[EmbeddingBag] offsets[0] is 1; wanted 0 <= offset <= 0"},
         {.in = {{3, 2},
                 Array::Vector<int64_t>({0, 1}),
                 Array::Vector<int64_t>({0, 2, 1})},
          .message = "[EmbeddingBag] offsets[2] is 1; wanted 2 <= offset <= 2"},
         {.in = {{3, 2},
                 Array::Vector<int64_t>({0, 1}),
                 Array::Vector<int64_t>({0, 3})},
          .message = "[EmbeddingBag] offsets[1] is 3; wanted 0 <= offset <= 2"},
         {.in = {{3, 2},
                 Array::Vector<int64_t>({0, 1}),
                 Array::Zeros(DType::kI64, {0})},
          .message = "[EmbeddingBag] offsets are none; wanted a bag for 2 "
                     "indices"},
         {.in = {{3}, Array::Vector<int64_t>({0}), Array::Vector<int64_t>({0})},
          .message = "[EmbeddingBag] table is f32[3]; wanted rank 2"}});

}  // namespace sluice
