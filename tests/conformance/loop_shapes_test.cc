// Shapes in loops: nothing is declared, and what is known stays known.
#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

class LoopShapes : public ::testing::Test {
 protected:
  // The shape a loop's result is known to have before anything runs.
  static PartialShape ShapeOf(const PartialSizes& init,
                              const std::function<Tensor(Tensor)>& body) {
    Graph graph;
    GraphScope building(graph);
    Tensor n = Scalar(i64, "n"), x = placeholder(f32, init, "x");
    return for_loop(n, [&](Tensor, Tensor y) { return body(y); }, x).shape();
  }
};

TEST_F(LoopShapes, StayWhereTheBodyKeepsThem) {
  EXPECT_EQ(ShapeOf({2, 3}, [](Tensor y) { return y + 1.0f; }),
            (PartialShape{2, 3}));
  EXPECT_EQ(ShapeOf({any, 3}, [](Tensor y) { return y * y; }),
            (PartialShape{any, 3}));
  EXPECT_EQ(ShapeOf({2, 3}, [](Tensor y) { return matmul(y, ones({3, 3})); }),
            (PartialShape{2, 3}));
}

TEST_F(LoopShapes, GiveUpOnlyTheSizeThatChanges) {
  EXPECT_EQ(
      ShapeOf({2, 3}, [](Tensor y) { return concat({y, y}, {.axis = 0}); }),
      (PartialShape{any, 3}));
  EXPECT_EQ(
      ShapeOf({2, 3}, [](Tensor y) { return transpose(y, {.perm = {1, 0}}); }),
      (PartialShape{any, any}));
  EXPECT_FALSE(
      ShapeOf({2}, [](Tensor y) { return expand_dims(y, 0); }).rank_known());
}

TEST_F(LoopShapes, OfRandomNumbersAreKnown) {
  Graph graph;
  GraphScope building(graph);
  Tensor n = Scalar(i64, "n"), inside;
  Tensor y = for_loop(
      n,
      [&](Tensor, Tensor y) {
        inside = random_normal({4, 2});
        return y + inside;
      },
      zeros({4, 2}));
  EXPECT_EQ(inside.shape(), (PartialShape{4, 2}));
  EXPECT_EQ(y.shape(), (PartialShape{4, 2}));
}

TEST_F(LoopShapes, ThatGrowInTheInnerLoopGrowInTheOuter) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {for_loop(
        x[0],
        [&](Tensor i, Tensor y) {
          return for_loop(
              i,
              [](Tensor k, Tensor z) {
                return concat({z, expand_dims(cast(k, f32), 0)}, {.axis = 0});
              },
              y);
        },
        x[1])};
  };
  EXPECT_EQ(Elements<float>(EveryWay(f, {I(4), F({})})[0]),
            (std::vector<float>{0, 0, 1, 0, 1, 2}));
}

TEST_F(LoopShapes, ThatGrowInABranchGrowInTheLoop) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {for_loop(
        x[0],
        [&](Tensor i, Tensor y) {
          return cond(
              i > 1, [&] { return concat({y, y}, {.axis = 0}); },
              [&] { return y; });
        },
        x[1])};
  };
  EXPECT_EQ(EveryWay(f, {I(2), F({1, 2})})[0].shape(), (Shape{2}));
  EXPECT_EQ(EveryWay(f, {I(5), F({1, 2})})[0].shape(), (Shape{16}));
}

TEST_F(LoopShapes, MayShrinkToNothing) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [total, rest] = while_loop(
        [](Tensor, Tensor rest) { return size(rest) > int64_t{0}; },
        [](Tensor total, Tensor rest) {
          return std::tuple(total * 2.0f + rest[0], rest[{slice_from(1)}]);
        },
        0.0f, x[0]);
    return {total, rest};
  };
  std::vector<Array> out = EveryWay(f, {F({1, 0, 1, 1})});
  EXPECT_EQ(Item(out[0]), 11);
  EXPECT_EQ(out[1].shape(), (Shape{0}));
}

TEST_F(LoopShapes, OfSeveralValuesChangeTogether) {
  // A value whose shape follows another's, known only while it runs.
  Fn f = [](const Tensors& x) -> Tensors {
    auto [a, b] = for_loop(
        x[0],
        [](Tensor, Tensor a, Tensor b) {
          return std::tuple(concat({a, b}, {.axis = 0}), a);
        },
        x[1], x[1]);
    return {a, b, size(a)};
  };
  // Sizes are Fibonacci's: (1,1) (2,1) (3,2) (5,3) (8,5).
  EXPECT_EQ(Item<int64_t>(EveryWay(f, {I(4), F({1})})[2]), 8);
}

TEST_F(LoopShapes, ThatDoNotFitInLaterIterationsAreErrorsThatSayWhich) {
  EveryWayFails(
      [](const Tensors& x) -> Tensors {
        return {for_loop(
            3,
            [&](Tensor, Tensor y) {
              return concat({y + x[0], y}, {.axis = 0});
            },
            x[0])};
      },
      {F({1, 2})},
      {"[Add] shapes do not broadcast",
       "loop_shapes_test.cc:", "in iteration 1 of the loop at "});
}

}  // namespace
}  // namespace sluice
