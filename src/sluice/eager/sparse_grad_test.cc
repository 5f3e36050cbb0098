#include <gtest/gtest.h>

#include "sluice/front/front_test_util.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

using Floats = std::vector<float>;
using Ids = std::vector<int64_t>;

Tensor Table() {
  return constant({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}, {7.f, 8.f}})
      .requires_grad_();
}

Tensor Id(std::initializer_list<int64_t> ids) {
  return Tensor(MakeRef<EagerValue>(Array::Vector<int64_t>(ids)));
}

TEST(SparseGrad, OfGatheredRowsStaysRows) {
  Tensor w = Table();
  sum(gather(w, Id({2, 0, 2})) * 3).backward();
  Tensor g = w.grad();
  ASSERT_TRUE(g.is_sparse());
  EXPECT_EQ(g.shape(), w.shape());
  EXPECT_EQ(g.dtype(), DType::kF32);
  EXPECT_EQ(g.indices().to_vector<int64_t>(), (Ids{2, 0, 2}));
  EXPECT_EQ(g.values().to_vector<float>(), (Floats{3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(g.dense_shape().to_vector<int64_t>(), (Ids{4, 2}));
  EXPECT_EQ(g.to_dense().to_vector<float>(), (Floats{3, 3, 0, 0, 6, 6, 0, 0}));
}

TEST(SparseGrad, CoalesceSumsDuplicatesAndSorts) {
  Tensor w = Table();
  Tensor rows = gather(w, Id({3, 1, 3, 0}));
  sum(rows * rows * 0.5f).backward();
  Tensor g = w.grad().coalesce();
  ASSERT_TRUE(g.is_sparse());
  EXPECT_EQ(g.indices().to_vector<int64_t>(), (Ids{0, 1, 3}));
  EXPECT_EQ(g.values().to_vector<float>(), (Floats{1, 2, 3, 4, 14, 16}));
  EXPECT_EQ(g.to_dense().to_vector<float>(),
            w.grad().to_dense().to_vector<float>());
}

TEST(SparseGrad, OpsTakePartsAlone) {
  Tensor w = Table();
  sum(gather(w, Id({1}))).backward();
  try {
    w.grad() * 2;
    FAIL();
  } catch (const Error& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("f32[4,2]) is a sparse gradient; wanted its indices()"),
              text.npos)
        << text;
  }
  EXPECT_THROW(w.indices(), Error);
  EXPECT_EQ(w.grad().ToString(),
            "sparse f32[4,2] of f32[1,2] [[1 1]] at i64[1] [1]");
}

TEST(SparseGrad, AddsUpByJoiningRows) {
  Tensor w = Table();
  (sum(gather(w, Id({0}))) + sum(gather(w, Id({1, 0})) * 2)).backward();
  sum(gather(w, constant({{2}, {3}}))).backward();
  Tensor g = w.grad();
  ASSERT_TRUE(g.is_sparse());
  EXPECT_EQ(g.values().dim(0), 5);
  EXPECT_EQ(g.to_dense().to_vector<float>(), (Floats{3, 3, 2, 2, 1, 1, 1, 1}));
}

TEST(SparseGrad, WithADensePartIsDense) {
  Tensor w = Table();
  (sum(gather(w, Id({3, 3}))) + sum(w * 2)).backward();
  EXPECT_FALSE(w.grad().is_sparse());
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{2, 2, 2, 2, 2, 2, 4, 4}));
  sum(gather(w, Id({0}))).backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{3, 3, 2, 2, 2, 2, 4, 4}));
}

TEST(SparseGrad, MeetsOtherRulesDense) {
  Tensor w = Table();
  sum(gather(w * w, Id({1, 1}))).backward();
  EXPECT_FALSE(w.grad().is_sparse());
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{0, 0, 12, 16, 0, 0, 0, 0}));
}

TEST(SparseGrad, OfOtherAxesIsDense) {
  Tensor w = Table();
  sum(gather(w, Id({1}), {.axis = 1})).backward();
  EXPECT_EQ(w.grad().to_vector<float>(), (Floats{0, 1, 0, 1, 0, 1, 0, 1}));
}

TEST(SparseGrad, OfIndicesOfAnyRank) {
  Tensor w = Table();
  Tensor ids = constant({{0, 1}, {1, 3}});
  sum(gather(w, ids) * gather(w, ids)).backward();
  EXPECT_EQ(w.grad().indices().rank(), 1);
  EXPECT_EQ(w.grad().to_dense().to_vector<float>(),
            (Floats{2, 4, 12, 16, 0, 0, 14, 16}));
  Tensor v = constant({1.f, 2.f, 3.f}).requires_grad_();
  (gather(v, Tensor(MakeRef<EagerValue>(Array::Scalar<int64_t>(2)))) * 5)
      .backward();
  EXPECT_EQ(v.grad().to_dense().to_vector<float>(), (Floats{0, 0, 5}));
}

TEST(SparseGrad, DoesNotChangeWithTheIndicesItCameFrom) {
  Tensor w = Table(), ids = Id({1, 2});
  sum(gather(w, ids)).backward();
  ids.add_(1);
  EXPECT_EQ(w.grad().indices().to_vector<int64_t>(), (Ids{1, 2}));
}

TEST(SparseGrad, FunctionsReturnIt) {
  Tensor w = Table();
  Tensor y = sum(gather(w, Id({2, 2})));
  EXPECT_TRUE(grad(y, w, {.retain_graph = true}).is_sparse());
  EXPECT_EQ(grad(y, w, {.dense = true}).to_vector<float>(),
            (Floats{0, 0, 0, 0, 2, 2, 0, 0}));
}

TEST(SparseGrad, OfSecondOrder) {
  auto f = [](const std::vector<Tensor>& x) {
    Tensor rows = gather(x[0], Id({1, 0, 1}));
    return std::vector<Tensor>{sum(rows * rows * rows)};
  };
  Tensor x = constant(Array::Of<double>({3, 2}, {1, 2, 3, 4, 5, 6}));
  gradcheck(f, {x}, {.second_order = true});
  Tensor h = hvp(f, {x}, {ones_like(x)})[0];
  EXPECT_EQ(h.to_vector<double>(), (std::vector<double>{6, 12, 36, 48, 0, 0}));
}

TEST(SparseGrad, InGraphs) {
  Graph graph;
  GraphScope building(graph);
  Tensor w = placeholder(DType::kF32, {any, 2});
  Tensor ids = placeholder(DType::kI64, {any});
  Tensor y = sum(gather(w, ids) * 2) + sum(gather(w, ids));
  Tensor g = grad(y, w);
  ASSERT_TRUE(g.is_sparse());
  EXPECT_TRUE(g.symbolic());
  EXPECT_EQ(g.shape(), w.shape());
  Tensor dense = g.to_dense(), sums = g.coalesce().values();
  Session session(graph);
  Array table = Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  std::vector<Array> got =
      session.run({g.indices(), g.values(), dense, sums, g.dense_shape()},
                  {{w, table}, {ids, Array::Vector<int64_t>({2, 0})}});
  EXPECT_EQ(Tensor(MakeRef<EagerValue>(got[0])).to_vector<int64_t>(),
            (Ids{2, 0, 2, 0}));
  EXPECT_EQ(got[1].dim(0), 4);
  EXPECT_EQ(Tensor(MakeRef<EagerValue>(got[2])).to_vector<float>(),
            (Floats{3, 3, 0, 0, 3, 3}));
  EXPECT_EQ(Tensor(MakeRef<EagerValue>(got[3])).to_vector<float>(),
            (Floats{3, 3, 3, 3}));
  EXPECT_EQ(Tensor(MakeRef<EagerValue>(got[4])).to_vector<int64_t>(),
            (Ids{3, 2}));
  EXPECT_THROW(session.run(g, {}), Error);
}

// Its shape used to be that of the handle.
TEST(SparseGrad, OfAVariableHasItsShape) {
  Graph graph;
  GraphScope building(graph);
  Variable w = variable(ones({3, 2}), "w"), other = variable(ones({3}));
  Tensor y = sum(gather(w, constant({1, 1})));
  Tensor g = grad(y, w);
  ASSERT_TRUE(g.is_sparse());
  EXPECT_EQ(g.shape(), PartialShape({3, 2}));
  // One that y does not depend on has none, where that is asked for.
  std::vector<Tensor> both = gradients({y}, std::vector<Variable>{w, other},
                                       {.none_when_unconnected = true});
  EXPECT_TRUE(both[0].defined());
  EXPECT_FALSE(both[1].defined());
}

TEST(SparseGrad, OfAValueThatFlowsOn) {
  Graph graph;
  GraphScope building(graph);
  Tensor w = constant({{1.f, 2.f}, {3.f, 4.f}});
  Tensor h = w * 2;
  Tensor y = sum(gather(h, constant({1})));
  std::vector<Tensor> g = gradients({y}, {h, w});
  EXPECT_TRUE(g[0].is_sparse());
  EXPECT_FALSE(g[1].is_sparse());
  Session session(graph);
  EXPECT_EQ(Tensor(MakeRef<EagerValue>(session.run(g[1]))).to_vector<float>(),
            (Floats{0, 0, 2, 2}));
}

TEST(SparseGrad, ScatterWritesInPlace) {
  Tensor w = constant({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  const void* memory = w.array().raw();
  w.scatter_add_(Id({2, 0, 2}), ones({3, 2}));
  w.scatter_sub_({1}, constant({{1.f, 1.f}}));
  EXPECT_EQ(w.to_vector<float>(), (Floats{2, 3, 2, 3, 7, 8}));
  EXPECT_EQ(w.array().raw(), memory);
  EXPECT_THROW(w.scatter_add_(Id({3}), ones({1, 2})), Error);
  EXPECT_EQ(w.to_vector<float>(), (Floats{2, 3, 2, 3, 7, 8}));
  // Updates that lie in the tensor itself are read as they were.
  w.scatter_add_(Id({0, 1, 2}), w);
  EXPECT_EQ(w.to_vector<float>(), (Floats{4, 6, 4, 6, 14, 16}));
}

TEST(SparseGrad, CapturedStepsUpdateInPlace) {
  Tensor w = Table();
  const void* memory = w.array().raw();
  auto step = function([&](Tensor ids) {
    w.zero_grad();
    Tensor loss = sum(gather(w, ids));
    loss.backward();
    NoGrad off;
    w.scatter_sub_(w.grad().indices(), w.grad().values() * 0.5f);
    return loss;
  });
  EXPECT_EQ(step(Id({1, 1})).item<float>(), 14);
  EXPECT_EQ(w.to_vector<float>(), (Floats{1, 2, 2, 3, 5, 6, 7, 8}));
  EXPECT_EQ(w.array().raw(), memory);
  ASSERT_TRUE(w.grad().is_sparse());
  EXPECT_EQ(w.grad().indices().to_vector<int64_t>(), (Ids{1, 1}));
  EXPECT_EQ(step(Id({0, 1, 2})).item<float>(), 19);
  EXPECT_EQ(w.to_vector<float>(), (Floats{.5, 1.5, 1.5, 2.5, 4.5, 5.5, 7, 8}));
  EXPECT_EQ(w.array().raw(), memory);
  EXPECT_THROW(step(Id({4})), Error);
  EXPECT_EQ(w.dim(0), 4);
  EXPECT_EQ(w.array().raw(), memory);
}

// Where the update depends on the rows that were read, all is one island.
TEST(SparseGrad, CapturedIslandsUpdateInPlace) {
  Tensor w = Table();
  const void* memory = w.array().raw();
  auto step = function([&](Tensor ids) {
    Tensor rows = gather(w, ids);
    Tensor g = grad(sum(rows * rows), w);
    NoGrad off;
    w.scatter_sub_(g.indices(), g.values() * 0.25f);
  });
  step(Id({1, 2}));
  EXPECT_EQ(w.to_vector<float>(), (Floats{1, 2, 1.5, 2, 2.5, 3, 7, 8}));
  EXPECT_EQ(w.array().raw(), memory);
}

TEST(SparseGrad, CapturedStepsReadWhatWasThereBefore) {
  Tensor w = Table();
  auto step = function([&](Tensor ids) {
    NoGrad off;
    Tensor before = w[1].clone();
    w.scatter_add_(ids, ones({1, 2}));
    Tensor both = before * 2 + w[1];
    w.scatter_add_(ids, ones({1, 2}));
    return both;
  });
  EXPECT_EQ(step(Id({1})).to_vector<float>(), (Floats{10, 13}));
  EXPECT_EQ(w[1].to_vector<float>(), (Floats{5, 6}));
}

TEST(SparseGrad, CapturedStepsAddToWhatIsThere) {
  Tensor w = Table();
  auto step = function([&](Tensor ids) { sum(gather(w, ids)).backward(); });
  step(Id({1}));
  step(Id({2, 2}));
  step(Id({3}));
  ASSERT_TRUE(w.grad().is_sparse());
  EXPECT_EQ(w.grad().indices().to_vector<int64_t>(), (Ids{1, 2, 2, 3}));
  EXPECT_EQ(step.traces().size(), 2u);
}

// The old elements are a result: they may not be written over.
TEST(SparseGrad, CapturedStepsKeepWhatIsStillRead) {
  Tensor w = Table();
  Tensor view = w.detach();
  auto step = function([&](Tensor ids) {
    NoGrad off;
    Tensor before = w[0].clone();
    w.scatter_add_(ids, ones({1, 2}));
    return std::pair(before, view + 0);
  });
  auto [before, seen] = step(Id({0}));
  EXPECT_EQ(before.to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(seen.to_vector<float>(), (Floats{2, 3, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(w.to_vector<float>(), (Floats{2, 3, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(view.to_vector<float>(), w.to_vector<float>());
}

}  // namespace
}  // namespace sluice
