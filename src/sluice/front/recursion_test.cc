#include "sluice/front/recursion.h"

#include "sluice/front/every_way_test_util.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;

Array I(int64_t v) { return Array::Scalar<int64_t>(v); }

TEST(Recursive, Fibonacci) {
  Recursive<Tensor(Tensor)> fib([](const auto& self, Tensor n) {
    return cond(
        n < 2, [&] { return n; }, [&] { return self(n - 1) + self(n - 2); });
  });
  Fn f = [&](const Tensors& x) -> Tensors { return {fib(x[0])}; };
  EXPECT_EQ(*EveryWay(f, {I(0)})[0].data<int64_t>(), 0);
  EXPECT_EQ(*EveryWay(f, {I(11)})[0].data<int64_t>(), 89);
}

TEST(Recursive, TheGraphIsAsLargeAsTheCode) {
  Recursive<Tensor(Tensor)> down([](const auto& self, Tensor n) {
    return cond(n <= 0, [&] { return n; }, [&] { return self(n - 1); });
  });
  Graph graph;
  Tensor n, y;
  {
    GraphScope building(graph);
    n = placeholder(i64, std::vector<int64_t>{}, "n");
    y = down(n);
  }
  EXPECT_LT(graph.num_nodes(), 20);
  Session session(graph);
  EXPECT_EQ(*session.run(y, {{n, int64_t{500}}}).data<int64_t>(), 0);
}

TEST(Recursive, ResultsKnownFromTheSecondBranchAndStructures) {
  using Pair = std::pair<Tensor, Tensor>;
  Recursive<Pair(Tensor, Pair)> power([](const auto& self, Tensor n, Pair s) {
    return cond(
        n > 0, [&] { return self(n - 1, Pair(s.first * 2.0f, s.second + 1)); },
        [&] { return s; });
  });
  Fn f = [&](const Tensors& x) -> Tensors {
    Pair p = power(x[0], Pair(x[1], x[0] * 0));
    return {p.first, p.second};
  };
  std::vector<Array> out = EveryWay(f, {I(5), Array::Vector<float>({1, 3})});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{32, 96}));
  EXPECT_EQ(*out[1].data<int64_t>(), 5);
}

TEST(Recursive, ShapesMayGrowAndCodeReadsWhatIsAround) {
  Fn f = [](const Tensors& x) -> Tensors {
    Recursive<Tensor(Tensor, Tensor)> grow(
        [&](const auto& self, Tensor n, Tensor v) {
          return cond(
              n <= 0, [&] { return v + x[1]; },
              [&] { return self(n - 1, concat({v, v}, {.axis = 0})); });
        });
    return {grow(x[0], x[2])};
  };
  std::vector<Array> out =
      EveryWay(f, {I(2), Array::Scalar(10.0f), Array::Vector<float>({1, 2})});
  EXPECT_EQ(Elements<float>(out[0]),
            (std::vector<float>{11, 12, 11, 12, 11, 12, 11, 12}));
}

TEST(Recursive, TwoFunctionsThatCallEachOtherAndLoops) {
  // A function whose loop calls it again: the sum of a tree of depth n in which
  // every node has n children.
  Recursive<Tensor(Tensor)> leaves([](const auto& self, Tensor n) {
    return cond(
        n <= 0, [&] { return n * 0 + 1; },
        [&] {
          auto [i, total] =
              while_loop([&](Tensor i, Tensor) { return i < n; },
                         [&](Tensor i, Tensor total) {
                           return std::tuple(i + 1, total + self(n - 1));
                         },
                         n * 0, n * 0);
          return total;
        });
  });
  Fn f = [&](const Tensors& x) -> Tensors { return {leaves(x[0])}; };
  EXPECT_EQ(*EveryWay(f, {I(4)})[0].data<int64_t>(), 24);
}

// Lowered to tokens, the inner function stands beside the outer one, whose
// constants it reads all the same.
TEST(Recursive, AFunctionInsideAnotherReadsItsConstants) {
  Fn f = [](const Tensors& x) -> Tensors {
    Recursive<Tensor(Tensor)> outer([&](const auto& again, Tensor n) {
      Tensor step = constant(int64_t{2});
      Recursive<Tensor(Tensor)> inner([&](const auto& self, Tensor k) {
        return cond(
            k > 6, [&] { return self(k - step); },
            [&] {
              return cond(
                  k > 1, [&] { return again(k); }, [&] { return k * step; });
            });
      });
      return cond(n <= 0, [&] { return n; }, [&] { return inner(n - step); });
    });
    return {outer(x[0])};
  };
  EXPECT_EQ(*EveryWay(f, {I(11)})[0].data<int64_t>(), 2);
}

TEST(Recursive, WithoutEndIsAnErrorWithTheLine) {
  Recursive<Tensor(Tensor)> endless([](const auto& self, Tensor n) {
    return cond(n < 0, [&] { return n; }, [&] { return self(n + 1); });
  });
  EveryWayFails([&](const Tensors& x) -> Tensors { return {endless(x[0])}; },
                {I(1)},
                {"000 calls inside one another; wanted a recursion that ends",
                 "recursion_test.cc:"});
  Contains(ErrorOf([&] { endless(constant(int64_t{1})); }),
           "more than 1000 calls inside one another; wanted a recursion that "
           "ends, or to capture it: a graph may go deeper");
  auto captured = function([&](Tensor n) { return endless(n); });
  EXPECT_LT(ErrorOf([&] { captured(constant(int64_t{1})); }).size(), 3000u);
  Contains(ErrorOf([&] { captured(constant(int64_t{1})); }),
           "more than 4000 calls inside one another");
  Recursive<Tensor(Tensor)> hopeless(
      [](const auto& self, Tensor n) { return self(n + 1); });
  Graph graph;
  GraphScope building(graph);
  Tensor n = placeholder(i64, std::vector<int64_t>{}, "n");
  Contains(ErrorOf([&] { hopeless(n); }),
           "calls itself on every path; wanted one that returns without");
}

}  // namespace
}  // namespace sluice
