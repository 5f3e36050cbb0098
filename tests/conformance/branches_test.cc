// Conditionals: what is chosen, what runs, what comes out.
#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

TEST(Branches, ThePredicateMayBeAConstantThatIsFed) {
  Graph graph;
  Tensor p, y;
  {
    GraphScope building(graph);
    p = constant(true);
    y = cond(p, [] { return constant(1.0f); }, [] { return constant(2.0f); });
  }
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    EXPECT_EQ(Item(session.run(y, {}, options)), 1);
    EXPECT_EQ(Item(session.run(y, {{p, false}}, options)), 2);
    EXPECT_EQ(Item(session.run(y, {{p, true}}, options)), 1);
  });
}

TEST(Branches, APlainBoolIsAPredicateToo) {
  for (bool p : {true, false}) {
    Fn f = [p](const Tensors& x) -> Tensors {
      return {cond(p, [&] { return x[0] + 1.0f; }, [&] { return x[0]; })};
    };
    EXPECT_EQ(Item(EveryWay(f, {F(4)})[0]), p ? 5 : 4);
  }
}

TEST(Branches, ThePredicateMayComeOutOfAnotherConditional) {
  Fn f = [](const Tensors& x) -> Tensors {
    Tensor p =
        cond(x[0], [&] { return x[1] > 0.0f; }, [&] { return x[1] < -5.0f; });
    return {cond(p, [&] { return x[1] * 2.0f; }, [&] { return x[1]; }), p};
  };
  for (bool first : {true, false}) {
    for (float v : {-7.0f, -2.0f, 3.0f}) {
      bool p = first ? v > 0 : v < -5;
      std::vector<Array> out = EveryWay(f, {B(first), F(v)});
      EXPECT_EQ(Item(out[0]), p ? 2 * v : v);
      EXPECT_EQ(Item<bool>(out[1]), p);
    }
  }
}

TEST(Branches, ValuesOfEveryTypeComeThrough) {
  for (DType dtype : {DType::kBool, DType::kI8, DType::kI16, DType::kI32,
                      DType::kI64, DType::kU8, DType::kF16, DType::kBF16,
                      DType::kF32, DType::kF64, DType::kString, DType::kC64}) {
    SCOPED_TRACE(DTypeName(dtype));
    Array a = Array::Zeros(dtype, {2, 3});
    Fn f = [](const Tensors& x) -> Tensors {
      return {cond(
          x[0], [&] { return x[1]; },
          [&] { return concat({x[1], x[1]}, {.axis = 1}); })};
    };
    EXPECT_EQ(EveryWay(f, {B(true), a})[0].shape(), (Shape{2, 3}));
    EXPECT_EQ(EveryWay(f, {B(false), a})[0].shape(), (Shape{2, 6}));
  }
}

TEST(Branches, EmptyTensorsAndSeveralResultsOfOneValue) {
  Fn f = [](const Tensors& x) -> Tensors {
    Tensors ys = cond(
        x[0],
        [&] {
          Tensor twice = x[1] + x[1];
          return Tensors{twice, twice, x[1]};
        },
        [&] { return Tensors{x[1], zeros({0}), constant(1.0f)}; });
    return ys;
  };
  std::vector<Array> out = EveryWay(f, {B(false), F({})});
  EXPECT_EQ(out[0].shape(), (Shape{0}));
  EXPECT_EQ(out[2].shape(), Shape());
  out = EveryWay(f, {B(true), F({1, 2})});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{2, 4}));
  EXPECT_TRUE(out[0].BitEquals(out[1]));
}

TEST(Branches, NestedInBothBranchesThreeDeep) {
  // Eight leaves, one for each of three predicates.
  std::function<Tensor(const Tensors&, size_t, float)> tree =
      [&](const Tensors& x, size_t level, float leaf) -> Tensor {
    if (level == 3) return x[3] + leaf;
    return cond(
        x[level], [&] { return tree(x, level + 1, 2 * leaf + 1); },
        [&] { return tree(x, level + 1, 2 * leaf); });
  };
  Fn f = [&](const Tensors& x) -> Tensors { return {tree(x, 0, 0)}; };
  for (int leaf = 0; leaf < 8; ++leaf) {
    std::vector<Array> args{B(leaf & 4), B(leaf & 2), B(leaf & 1), F(100)};
    EXPECT_EQ(Item(EveryWay(f, args)[0]), 100 + static_cast<float>(leaf));
  }
}

TEST(Branches, OneInsideAnotherOnTheSamePredicate) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {cond(
        x[0],
        [&] {
          return cond(x[0], [&] { return x[1]; }, [&] { return x[1] * 0.0f; });
        },
        [&] {
          return cond(x[0], [&] { return x[1] * 0.0f; }, [&] { return -x[1]; });
        })};
  };
  EXPECT_EQ(Item(EveryWay(f, {B(true), F(3)})[0]), 3);
  EXPECT_EQ(Item(EveryWay(f, {B(false), F(3)})[0]), -3);
}

TEST(Branches, WhatIsKnownOfTheShapeIsWhatBothAgreeOn) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = Scalar(boolean, "p");
  Tensor x = placeholder(f32, {2, any}, "x"), y = placeholder(f32, {2, 5}, "y");
  auto shape_of = [&](const Tensor& a, const Tensor& b) {
    return cond(p, [&] { return a; }, [&] { return b; }).shape();
  };
  EXPECT_EQ(shape_of(y, y), (PartialShape{2, 5}));
  EXPECT_EQ(shape_of(x, y), (PartialShape{2, any}));
  EXPECT_FALSE(shape_of(x, sum(x)).rank_known());
}

TEST(Branches, AResultThatIsAnInputIsTheSameTensor) {
  // Neither branch computes; both hand over what they see.
  Fn f = [](const Tensors& x) -> Tensors {
    auto [a, b] = cond(
        x[0], [&] { return std::pair(x[1], x[2]); },
        [&] { return std::pair(x[2], x[1]); });
    return {a - b};
  };
  EXPECT_EQ(Item(EveryWay(f, {B(true), F(5), F(3)})[0]), 2);
  EXPECT_EQ(Item(EveryWay(f, {B(false), F(5), F(3)})[0]), -2);
}

TEST(Branches, TheUntakenOneNeverFails) {
  // Division of integers by zero, an index out of range, an assertion, a loop
  // without end: none of it happens.
  Fn f = [](const Tensors& x) -> Tensors {
    return {cond(
        x[0], [&] { return x[1]; },
        [&] {
          assert_that(constant(false), {}, {.message = "untaken"});
          Tensor bad = gather(x[1], constant(int64_t{1000}));
          Tensor forever = while_loop([](Tensor) { return constant(true); },
                                      [](Tensor v) { return v + 1.0f; }, bad);
          return x[1] + forever;
        })};
  };
  EXPECT_EQ(Elements<float>(EveryWay(f, {B(true), F({1, 2})})[0]),
            (std::vector<float>{1, 2}));
}

TEST(Branches, AnUntakenAssertIsSilentWhateverIsKnownOfThePredicate) {
  // Known when the graph is built, when it is optimised, when it is run.
  for (int way = 0; way < 3; ++way) {
    Fn f = [way](const Tensors& x) -> Tensors {
      Tensor p = way == 0   ? constant(true)
                 : way == 1 ? constant(2.0f) > 1.0f
                            : x[0] > 0.0f;
      return {cond(
          p, [&] { return x[0] * 2.0f; },
          [&] {
            assert_that(x[0] > 1e9f, {}, {.message = "untaken"});
            return x[0];
          })};
    };
    EXPECT_EQ(Item(EveryWay(f, {F(3)})[0]), 6);
  }
}

TEST(Branches, OneThatNobodyAsksForDoesNotRun) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = Scalar(boolean, "p"), x = Scalar(f32, "x");
  cond(
      p,
      [&] {
        assert_that(constant(false), {}, {.message = "asked for"});
        return x;
      },
      [&] { return x; });
  Tensor y = x + 1.0f;
  EachExecutor([&](const RunOptions& options) {
    // p need not even be fed.
    EXPECT_EQ(Item(Session(graph).run(y, {{x, 1}}, options)), 2);
  });
}

TEST(Branches, BothResultsShareOneRunOfTheBranch) {
  Graph graph;
  Tensor p, a, b, read;
  Operation init;
  {
    GraphScope building(graph);
    p = Scalar(boolean, "p");
    Variable v = variable(constant(0.0f), "v");
    init = initialize_variables(graph);
    std::tie(a, b) = cond(
        p,
        [&] {
          v.assign_add(1.0f);
          return std::pair(v.read(), v.read() * 10.0f);
        },
        [&] { return std::pair(v.read(), v.read()); });
    read = v.read();
  }
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    session.run(init);
    std::vector<Array> out = session.run({a, b}, {{p, true}}, {}, options);
    EXPECT_EQ(Item(out[0]), 1);
    EXPECT_EQ(Item(out[1]), 10);
    // One of the two is enough for all that the branch does.
    EXPECT_EQ(Item(session.run(b, {{p, true}}, options)), 20);
    EXPECT_EQ(Item(session.run(a, {{p, false}}, options)), 2);
    EXPECT_EQ(Item(session.run(read, {{p, false}})), 2);
  });
}

}  // namespace
}  // namespace sluice
