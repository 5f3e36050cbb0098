// Loops: how often, over what, and what they carry.
#include <map>

#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

TEST(Loops, TheBoundMayBeComputedFedOrLoopedFor) {
  Fn f = [](const Tensors& x) -> Tensors {
    Tensor bound =
        for_loop(x[0], [](Tensor, Tensor k) { return k + k; }, int64_t{1});
    return {while_loop([&](Tensor i) { return i * i < bound; },
                       [](Tensor i) { return i + 1; }, int64_t{0})};
  };
  EXPECT_EQ(Item<int64_t>(EveryWay(f, {I(0)})[0]), 1);
  EXPECT_EQ(Item<int64_t>(EveryWay(f, {I(7)})[0]), 12);
}

TEST(Loops, AMaximumStopsOneThatHasNoEnd) {
  for (int64_t maximum : {0, 1, 100}) {
    Fn f = [maximum](const Tensors& x) -> Tensors {
      return {while_loop([](Tensor) { return constant(true); },
                         [](Tensor v) { return v + 1.0f; }, x[0],
                         {.maximum_iterations = maximum})};
    };
    EXPECT_EQ(Item(EveryWay(f, {F(0)})[0]), static_cast<float>(maximum));
  }
}

TEST(Loops, AMaximumOfTheInnerHoldsInEveryIterationOfTheOuter) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {for_loop(
        x[0],
        [&](Tensor i, Tensor total) {
          Tensor trips = while_loop([&](Tensor k) { return k < i; },
                                    [](Tensor k) { return k + 1; }, i * 0,
                                    {.maximum_iterations = 3});
          return total + trips;
        },
        int64_t{0})};
  };
  EXPECT_EQ(Item<int64_t>(EveryWay(f, {I(6)})[0]), 0 + 1 + 2 + 3 + 3 + 3);
}

TEST(Loops, ThreeDeepReadingAllThatIsAround) {
  Fn f = [](const Tensors& x) -> Tensors {
    const Tensor &n = x[0], &w = x[1];
    return {for_loop(
        n,
        [&](Tensor i, Tensor a) {
          return for_loop(
              n,
              [&](Tensor j, Tensor b) {
                return for_loop(
                    j,
                    [&](Tensor k, Tensor c) {
                      return c + w * cast(i * 100 + j * 10 + k, f32);
                    },
                    b);
              },
              a);
        },
        constant(0.0f))};
  };
  float want = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < j; ++k) {
        want += 0.5f * static_cast<float>(i * 100 + j * 10 + k);
      }
    }
  }
  EXPECT_EQ(Item(EveryWay(f, {I(4), F(0.5f)})[0]), want);
}

TEST(Loops, InABranchInALoop) {
  // Even iterations run a loop of their own, odd ones none.
  Fn f = [](const Tensors& x) -> Tensors {
    return {for_loop(
        x[0],
        [&](Tensor i, Tensor y) {
          return cond(
              equal(mod(i, int64_t{2}), int64_t{0}),
              [&] {
                return for_loop(
                    i, [](Tensor, Tensor z) { return z * 2.0f; }, y + 1.0f);
              },
              [&] { return y - 1.0f; });
        },
        x[1])};
  };
  float want = 1;
  for (int i = 0; i < 6; ++i) {
    want = i % 2 ? want - 1 : (want + 1) * static_cast<float>(1 << i);
  }
  EXPECT_EQ(Item(EveryWay(f, {I(6), F(1)})[0]), want);
}

TEST(Loops, OneAfterAnotherAndSideBySide) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto grow = [&](const Tensor& from, float by) {
      return for_loop(x[0], [by](Tensor, Tensor y) { return y * by; }, from);
    };
    Tensor first = grow(x[1], 2), second = grow(first, 3),
           beside = grow(x[1], 5);
    return {first, second, beside, second + beside};
  };
  std::vector<Array> out = EveryWay(f, {I(3), F({1, 2})});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{8, 16}));
  EXPECT_EQ(Elements<float>(out[3]), (std::vector<float>{341, 682}));
}

TEST(Loops, AHundredValuesAndOneThatDecides) {
  Fn f = [](const Tensors& x) -> Tensors {
    Tensors all(100, x[0]);
    return while_loop(
        [](const Tensors& v) { return v[99] < 1000.0f; },
        [](const Tensors& v) {
          Tensors next;
          for (size_t i = 0; i < v.size(); ++i) {
            next.push_back(i == 0 ? v[0] + 1.0f : v[i] + v[i - 1]);
          }
          return next;
        },
        all);
  };
  std::vector<Array> out = EveryWay(f, {F(1)});
  std::vector<float> want(100, 1);
  while (want[99] < 1000) {
    std::vector<float> next = want;
    next[0] += 1;
    for (size_t i = 1; i < 100; ++i) next[i] += want[i - 1];
    want = next;
  }
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(Item(out[i]), want[i]);
}

TEST(Loops, ValuesOfEveryType) {
  for (DType dtype : {DType::kBool, DType::kI8, DType::kI16, DType::kI32,
                      DType::kI64, DType::kU8, DType::kF16, DType::kBF16,
                      DType::kF32, DType::kF64, DType::kString, DType::kC64}) {
    SCOPED_TRACE(DTypeName(dtype));
    Fn f = [](const Tensors& x) -> Tensors {
      return {for_loop(
          3, [&](Tensor, Tensor y) { return concat({y, x[0]}, {.axis = 0}); },
          x[0])};
    };
    EXPECT_EQ(EveryWay(f, {Array::Zeros(dtype, {2, 1})})[0].shape(),
              (Shape{8, 1}));
  }
}

TEST(Loops, StringsGrow) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {while_loop(
        [](Tensor s) { return string_length(s) < int64_t{7}; },
        [](Tensor s) { return string_join({s, constant("ab")}); }, x[0])};
  };
  EXPECT_EQ(
      Item<std::string>(EveryWay(f, {Array::Scalar<std::string>("x")})[0]),
      "xababab");
}

TEST(Loops, OneTensorAsSeveralInitialValues) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [a, b, c] =
        while_loop([](Tensor a, Tensor, Tensor) { return a < 10.0f; },
                   [](Tensor a, Tensor b, Tensor c) {
                     return std::tuple(a + b, b, c * 2.0f);
                   },
                   x[0], x[0], x[0]);
    return {a, b, c, x[0]};
  };
  std::vector<Array> out = EveryWay(f, {F(3)});
  EXPECT_EQ(Item(out[0]), 12);
  EXPECT_EQ(Item(out[1]), 3);
  EXPECT_EQ(Item(out[2]), 24);
  EXPECT_EQ(Item(out[3]), 3);
}

TEST(Loops, BodiesThatReadNothingOrReturnConstants) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [go, y] = while_loop(
        [](Tensor go, Tensor) { return go; },
        [&](Tensor, Tensor) { return std::tuple(constant(false), x[0]); },
        constant(true), constant({0.0f, 0.0f}));
    return {go, y};
  };
  std::vector<Array> out = EveryWay(f, {F({4, 5})});
  EXPECT_FALSE(Item<bool>(out[0]));
  EXPECT_EQ(Elements<float>(out[1]), (std::vector<float>{4, 5}));
}

TEST(Loops, TheConditionMayReadWhatTheBodyDoesNot) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {while_loop(
        [&](Tensor y) { return logical_and(sum(x[1]) > 0.0f, y < x[0]); },
        [&](Tensor y) { return y + x[2]; }, x[2])};
  };
  EXPECT_EQ(Item(EveryWay(f, {F(10), F({1, 1}), F(3)})[0]), 12);
  EXPECT_EQ(Item(EveryWay(f, {F(10), F({-1, -1}), F(3)})[0]), 3);
}

TEST(Loops, AResultNobodyAsksForCostsItsLoopNothing) {
  // Only one of the carried values decides and is asked for; the other fails
  // when it is computed.
  Graph graph;
  GraphScope building(graph);
  Tensor x = Scalar(f32, "x");
  Tensor unasked = for_loop(
      3,
      [](Tensor i, Tensor v) {
        assert_that(i < 0, {}, {.message = "asked"});
        return v;
      },
      x);
  Tensor y = for_loop(3, [](Tensor, Tensor v) { return v + 1.0f; }, x);
  EachExecutor([&](const RunOptions& options) {
    EXPECT_EQ(Item(Session(graph).run(y, {{x, 1}}, options)), 4);
    Contains(ErrorOf([&] { Session(graph).run(unasked, {{x, 1}}, options); }),
             "asked");
  });
}

TEST(Loops, StructuresWithinStructures) {
  using Cell = std::pair<Tensor, std::map<std::string, Tensors>>;
  Fn f = [](const Tensors& x) -> Tensors {
    Cell init(x[0], {{"h", {x[0], x[0] * 2.0f}}, {"n", {constant(0)}}});
    Cell last = for_loop(
        4,
        [](Tensor, Cell c) {
          c.second["h"][1] = c.second["h"][0] + c.first;
          c.second["h"][0] = c.first;
          c.first = c.second["h"][1];
          c.second["n"][0] = c.second["n"][0] + 1;
          return c;
        },
        init);
    return {last.first, last.second["h"][0], last.second["n"][0]};
  };
  std::vector<Array> out = EveryWay(f, {F({1, 10})});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{8, 80}));
  EXPECT_EQ(Item<int32_t>(out[2]), 4);
}

TEST(Loops, ASinglePairOrTupleIsCarriedAsOneValue) {
  // Deduced by the compiler it would be taken apart, and the code given two.
  using Pair = std::pair<Tensor, Tensor>;
  using Three = std::tuple<Tensor, Tensor, Tensor>;
  Fn f = [](const Tensors& x) -> Tensors {
    Pair p = while_loop([](Pair s) { return s.first < 10.0f; },
                        [](Pair s) { return Pair(s.second, s.first * 2.0f); },
                        Pair(x[0], x[0]));
    Three t = for_loop(
        2,
        [](Tensor, Three s) {
          auto [a, b, c] = s;
          return Three(b, c, a + b + c);
        },
        Three(x[0], x[0], x[0]));
    std::tuple<Tensor> one = for_loop(
        2,
        [](Tensor, std::tuple<Tensor> s) {
          return std::tuple<Tensor>(std::get<0>(s) + 1.0f);
        },
        std::tuple<Tensor>(x[0]));
    return {p.first, p.second, std::get<2>(t), std::get<0>(one)};
  };
  std::vector<Array> out = EveryWay(f, {F(1)});
  EXPECT_EQ(Item(out[0]), 16);
  EXPECT_EQ(Item(out[1]), 16);
  EXPECT_EQ(Item(out[2]), 5);
  EXPECT_EQ(Item(out[3]), 3);
}

TEST(Loops, ManyIterationsOfALargeValue) {
  // More iterations than any bound, and a value worth reusing.
  Fn f = [](const Tensors& x) -> Tensors {
    return {for_loop(
        500, [](Tensor i, Tensor y) { return y * 0.5f + cast(i, f32); }, x[0])};
  };
  Array a = Array::Zeros(DType::kF32, {64, 64});
  EveryWay(f, {a});
}

}  // namespace
}  // namespace sluice
