#include "sluice/ops/nn/embedding_bag.h"

namespace sluice {
namespace {

Status Infer(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 2));
  SL_RETURN_IF_ERROR(c.WantRank(1, 1));
  SL_RETURN_IF_ERROR(c.WantRank(2, 1));
  if (c.in(0).rank_known() && c.in(2).rank_known() && c.in(0)[0] >= 0 &&
      c.in(2)[0] >= 0 && c.in(0)[0] != c.in(2)[0]) {
    return c.Error(StrCat(c.Describe(0), ", ", c.Describe(2),
                          "; wanted one row of dy for every bag"));
  }
  const int64_t dims[] = {c.in(1).rank_known() ? c.in(1)[0] : kUnknownDim,
                          c.in(0).rank_known() ? c.in(0)[1] : kUnknownDim};
  SL_ASSIGN_OR_RETURN(PartialShape out, MakeOutShape(c, dims));
  c.set_out(0, out);
  return OkStatus();
}

template <class T>
struct ScaleRow {
  using C = Compute<T>;
  static SL_INLINE void Run(const T* dy, int64_t n, C scale, T* to) {
    SL_VECTORIZE
    for (int64_t i = 0; i < n; ++i) {
      to[i] = static_cast<T>(static_cast<C>(dy[i]) * scale);
    }
  }
};

Status Launch(KernelContext& ctx) {
  const Array &dy = ctx.in(0), &offsets = ctx.in(2);
  int64_t count = ctx.in(1).num_elements(), columns = dy.dim(1);
  bool mean = ctx.attr<std::string>("mode") == "mean";
  SL_RETURN_IF_ERROR(bags::CheckOffsets(ctx, 2, count));
  DispatchFloats(dy.dtype(), [&]<class T>() {
    using C = Compute<T>;
    T* to = ctx.out(0).mutable_data<T>();
    ParallelFor(ctx.step().pool, offsets.num_elements(),
                (1 << 14) / (columns + 1) + 1, [&](int64_t begin, int64_t end) {
                  for (int64_t b = begin; b < end; ++b) {
                    int64_t first = bags::Begin(offsets, b);
                    int64_t last = bags::End(offsets, b, count);
                    C scale = mean ? 1 / static_cast<C>(last - first) : C(1);
                    for (int64_t k = first; k < last; ++k) {
                      isa::Call<ScaleRow<T>>(dy.data<T>() + b * columns,
                                             columns, scale, to + k * columns);
                    }
                  }
                });
  });
  return OkStatus();
}

std::vector<RefArray> Reference(const std::vector<RefArray>& in,
                                const Attrs& attrs) {
  auto bag = bags::BagOf(in[2], in[1].v.size());
  std::vector<double> size(in[2].v.size());
  for (size_t b : bag) size[b] += 1;
  bool mean = attrs.get<std::string>("mode") == "mean";
  Shape shape = ref::MakeShape({in[1].shape.dim(0), in[0].shape.dim(1)});
  return {ref::Build(shape, [&](const Ints& at) {
    size_t b = bag[static_cast<size_t>(at[0])];
    double g = ref::At(in[0], {static_cast<int64_t>(b), at[1]});
    return mean ? g / size[b] : g;
  })};
}

}  // namespace

SL_OP(EmbeddingBagGrad)
    .doc(
        "The gradient of EmbeddingBag by each row it used, one for every "
        "index; added up by index (ScatterAdd) it is the table's.")
    .input("dy: T")
    .input("indices: I")
    .input("offsets: I")
    .output("drows: T")
    .types("T", kFloats)
    .types("I", kIndices)
    .attr("mode", "sum", "sum or mean.")
    .one_of({"sum", "mean"})
    .shape(Infer)
    .grad([](GradContext& g) {
      // Row k of drows belongs to index k: bags of the rows themselves.
      GradVar indices = g.in(1);
      DType dtype = indices.dtype();
      GradVar count = g.cast(g.call("Size", {indices}), dtype);
      GradVar rows =
          g.call("Range", {g.scalar(0, dtype), count, g.scalar(1, dtype)});
      g.set_dx(0, g.call("EmbeddingBag", {g.dy(), rows, g.in(2)}, g.attrs()));
    })
    .cpu(Launch)
    .internal()
    .max_ulp(1)
    .reference(Reference)
    .samples({{.in = {{2, 3},
                      Array::Vector<int64_t>({0, 3, 3, 1}),
                      Array::Vector<int64_t>({0, 2})}},
              {.in = {{4, 3},
                      Array::Vector<int32_t>({0, 3, 3, 1}),
                      Array::Vector<int32_t>({0, 0, 3, 4})},
               .attrs = {{"mode", "mean"}}},
              {.in = {{0, 3}, {0}, {0}}}})
    .rejects(
        {{.in = {{1, 2},
                 Array::Vector<int64_t>({0, 1}),
                 Array::Vector<int64_t>({1})},
          .message = "[EmbeddingBagGrad] offsets[0] is 1; wanted 0 <= offset"},
         {.in = {{1, 2},
                 Array::Vector<int64_t>({0, 1}),
                 Array::Vector<int64_t>({0, 1})},
          .message = "[EmbeddingBagGrad] dy is f32[1,2], offsets is i64[2]; "
                     "wanted one row of dy for every bag"},
         {.in = {{3}, Array::Vector<int64_t>({0}), Array::Vector<int64_t>({0})},
          .message = "[EmbeddingBagGrad] dy is f32[3]; wanted rank 2"}});

}  // namespace sluice
