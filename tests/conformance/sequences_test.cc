// map_fn, scan, foldl, foldr: structures in and out, directions, lengths of
// zero and one, and what they are nested in.
#include <map>
#include <set>

#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

Array Rows() { return Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}); }
Tensor Plus(Tensor a, Tensor b) { return a + b; }

TEST(Maps, OneInputManyOutputsAndTheReverse) {
  using Map = std::map<std::string, Tensor>;
  Fn f = [](const Tensors& x) -> Tensors {
    Map many = map_fn(
        [](Tensor e) {
          return Map{{"neg", -e}, {"sum", sum(e)}, {"big", e > 2.5f}};
        },
        x[0]);
    Tensor one = map_fn(
        [](Map m) { return m["neg"] * m["sum"] + cast(m["big"], f32); }, many);
    return {many["neg"], many["sum"], many["big"], one};
  };
  std::vector<Array> out = EveryWay(f, {Rows()});
  EXPECT_EQ(Elements<float>(out[1]), (std::vector<float>{3, 7, 11}));
  EXPECT_EQ(out[2].dtype(), DType::kBool);
  EXPECT_EQ(Elements<float>(out[3]),
            (std::vector<float>{-3, -6, -20, -27, -54, -65}));
}

TEST(Maps, ResultsMayHaveAnotherTypeAndRank) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {map_fn([](Tensor e) { return as_string(sum(e)); }, x[0]),
            map_fn([](Tensor e) { return outer(e, e); }, x[0]),
            map_fn([](Tensor) { return constant({7, 8, 9}); }, x[0])};
  };
  std::vector<Array> out = EveryWay(f, {Rows()});
  EXPECT_EQ(out[0].dtype(), DType::kString);
  EXPECT_EQ(out[1].shape(), (Shape{3, 2, 2}));
  EXPECT_EQ(out[2].shape(), (Shape{3, 3}));
}

TEST(Maps, ReadWhatIsAroundAndReturnElementsAsTheyAre) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {map_fn([&](Tensor e) { return e * x[1]; }, x[0]),
            map_fn([](Tensor e) { return e; }, x[0]),
            map_fn([&](Tensor) { return x[1]; }, x[0])};
  };
  std::vector<Array> out = EveryWay(f, {Rows(), F({10, 1})});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{10, 2, 30, 4, 50, 6}));
  EXPECT_TRUE(out[1].BitEquals(Rows()));
  EXPECT_EQ(Elements<float>(out[2]), (std::vector<float>{10, 1, 10, 1, 10, 1}));
}

TEST(Maps, OverNothingKeepTheShapeOfAnElement) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {map_fn([](Tensor e) { return sum(e); }, x[0]),
            map_fn([](Tensor) { return constant({1, 2, 3}); }, x[0])};
  };
  Array none = Array::Zeros(DType::kF32, {0, 2});
  std::vector<Array> out = EveryWay(f, {none});
  EXPECT_EQ(out[0].shape(), (Shape{0}));
  EXPECT_EQ(out[1].shape(), (Shape{0, 3}));
  EXPECT_EQ(out[1].dtype(), DType::kI32);
  // The code never runs, so what is not known of its result before stays
  // unknown: an error, not a guess.
  auto square = [](Tensor e) { return outer(e, e); };
  EXPECT_EQ(map_fn(square, constant(none)).array().shape(), (Shape{0, 2, 2}));
  Graph graph;
  GraphScope building(graph);
  Tensor known = placeholder(f32, {any, 2}, "known");
  Tensor unknown = placeholder(f32, {any, any}, "unknown");
  Tensor y = map_fn(square, known), z = map_fn(square, unknown);
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    EXPECT_EQ(session.run(y, {{known, none}}, options).shape(),
              (Shape{0, 2, 2}));
    std::string text =
        ErrorOf([&] { session.run(z, {{unknown, none}}, options); });
    Contains(text, "there are no elements");
    Contains(text, "sequences_test.cc:");
  });
}

TEST(Maps, InsideLoopsAndBranchesAndTheReverse) {
  Fn f = [](const Tensors& x) -> Tensors {
    Tensor rows = for_loop(
        2,
        [](Tensor i, Tensor rows) {
          return cond(
              i > 0,
              [&] { return map_fn([](Tensor e) { return e * e; }, rows); },
              [&] { return map_fn([](Tensor e) { return e + 1.0f; }, rows); });
        },
        x[0]);
    Tensor steps = map_fn(
        [](Tensor e) {
          return while_loop([](Tensor v) { return sum(v) < 100.0f; },
                            [](Tensor v) { return v * 2.0f; }, e);
        },
        x[0]);
    return {rows, steps};
  };
  std::vector<Array> out = EveryWay(f, {Rows()});
  EXPECT_EQ(Elements<float>(out[0]),
            (std::vector<float>{4, 9, 16, 25, 36, 49}));
  EXPECT_EQ(Elements<float>(out[1]),
            (std::vector<float>{64, 128, 48, 64, 80, 96}));
}

TEST(Maps, ElementsOfDifferentShapesDoNotStack) {
  EveryWayFails(
      [](const Tensors& x) -> Tensors {
        return {map_fn(
            [](Tensor n) { return range(int64_t{0}, n, int64_t{1}); }, x[0])};
      },
      {Array::Vector<int64_t>({2, 3})}, {"i64[3]", "i64[2]"});
}

TEST(Maps, EveryElementDrawsItsOwnNumbers) {
  Graph graph;
  GraphScope building(graph);
  Tensor y =
      map_fn([](Tensor e) { return e + random_uniform({3}); }, zeros({4, 3}));
  std::vector<float> first;
  EachExecutor([&](const RunOptions& options) {
    std::vector<float> now =
        Elements<float>(Session(graph).run(y, {}, options));
    EXPECT_EQ(std::set<float>(now.begin(), now.end()).size(), 12u);
    if (first.empty()) first = now;
    EXPECT_EQ(now, first);
  });
}

TEST(Scans, BackwardsEachResultStandsWhereItsElementDoes) {
  using Pair = std::pair<Tensor, Tensor>;
  Fn f = [](const Tensors& x) -> Tensors {
    auto [kept, last] = scan(
        [](Tensor s, Pair e) { return Pair(e.second, s * 2.0f + e.first); },
        constant(0.0f), Pair(x[0], x[1]), {.reverse = true});
    return {kept, last};
  };
  std::vector<Array> out = EveryWay(f, {F({1, 2, 3}), F({7, 8, 9})});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{7, 8, 9}));
  EXPECT_EQ(Item(out[1]), (3 * 2 + 2) * 2 + 1);
}

TEST(Scans, StatesOfAnyStructure) {
  using State = std::pair<Tensor, Tensors>;
  Fn f = [](const Tensors& x) -> Tensors {
    State all = scan(
        [](State s, Tensor e) {
          return State(s.first + e, {s.second[0] * e, s.second[1] + 1});
        },
        State(constant(0.0f), {constant(1.0f), constant(0)}), x[0]);
    return {all.first, all.second[0], all.second[1]};
  };
  std::vector<Array> out = EveryWay(f, {F({2, 3, 4})});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{2, 5, 9}));
  EXPECT_EQ(Elements<float>(out[1]), (std::vector<float>{2, 6, 24}));
  EXPECT_EQ(Elements<int32_t>(out[2]), (std::vector<int32_t>{1, 2, 3}));
}

TEST(Scans, OverNothingGiveNothingAndTheFirstState) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [kept, last] =
        scan([](Tensor s, Tensor e) { return std::pair(sum(e) > 0.0f, s + e); },
             x[1], x[0]);
    return {kept, last};
  };
  std::vector<Array> out =
      EveryWay(f, {Array::Zeros(DType::kF32, {0, 2}), F({5, 6})});
  EXPECT_EQ(out[0].shape(), (Shape{0}));
  EXPECT_EQ(out[0].dtype(), DType::kBool);
  EXPECT_EQ(Elements<float>(out[1]), (std::vector<float>{5, 6}));
}

TEST(Scans, ScansOfScans) {
  // Summed-area table: running sums of running sums.
  Fn f = [](const Tensors& x) -> Tensors {
    return {scan(
        [](Tensor above, Tensor row) {
          return above + scan(Plus, sum(row) * 0.0f, row);
        },
        zeros({2}), x[0])};
  };
  EXPECT_EQ(Elements<float>(EveryWay(f, {Rows()})[0]),
            (std::vector<float>{1, 3, 4, 10, 9, 21}));
}

TEST(Scans, AgainstTheOpsThatDoTheSame) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {scan(Plus, zeros({2}), x[0]), cumsum(x[0], {.axis = 0})};
  };
  std::vector<Array> out = EveryWay(f, {Rows()});
  EXPECT_TRUE(out[0].BitEquals(out[1]));
}

TEST(Folds, LengthOneGivesTheElementAndCallsNothing) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto fails = [](Tensor a, Tensor) {
      assert_that(constant(false), {}, {.message = "called"});
      return a;
    };
    return {foldl(fails, x[0]), foldr(fails, x[0])};
  };
  std::vector<Array> out = EveryWay(f, {Array::Of<float>({1, 2}, {4, 5})});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{4, 5}));
  EXPECT_EQ(Elements<float>(out[1]), (std::vector<float>{4, 5}));
}

TEST(Folds, StructuresOfElementsAndOfStates) {
  using Pair = std::pair<Tensor, Tensor>;
  Fn f = [](const Tensors& x) -> Tensors {
    // Dot product and count; then the pair with the largest key.
    Pair both = foldl(
        [](Pair s, Pair e) {
          return Pair(s.first + e.first * e.second, s.second + 1);
        },
        Pair(x[0], x[1]), Pair(constant(0.0f), constant(0)));
    Pair best = foldr(
        [](Pair s, Pair e) {
          return cond(e.first > s.first, [&] { return e; }, [&] { return s; });
        },
        Pair(x[0], x[1]));
    return {both.first, both.second, best.first, best.second};
  };
  std::vector<Array> out = EveryWay(f, {F({3, 9, 2}), F({1, 2, 3})});
  EXPECT_EQ(Item(out[0]), 27);
  EXPECT_EQ(Item<int32_t>(out[1]), 3);
  EXPECT_EQ(Item(out[2]), 9);
  EXPECT_EQ(Item(out[3]), 2);
}

TEST(Folds, TheStateMayGrow) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto append = [](Tensor s, Tensor e) {
      return concat({s, e}, {.axis = 0});
    };
    return {foldl(append, x[0], zeros({0})), foldr(append, x[0], zeros({0}))};
  };
  std::vector<Array> out = EveryWay(f, {Rows()});
  EXPECT_EQ(Elements<float>(out[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Elements<float>(out[1]), (std::vector<float>{5, 6, 3, 4, 1, 2}));
}

TEST(Folds, OverNothingWithoutAnInitialValueFail) {
  EveryWayFails([](const Tensors& x) -> Tensors { return {foldl(Plus, x[0])}; },
                {F({})}, {"sequences_test.cc:"});
}

TEST(Sequences, OfUnequalLengthsAreRefused) {
  using Pair = std::pair<Tensor, Tensor>;
  auto add = [](Pair e) { return e.first + e.second; };
  EveryWayFails(
      [&](const Tensors& x) -> Tensors {
        return {map_fn(add, Pair(x[0], x[1]))};
      },
      {F({1, 2, 3}), F({1, 2})},
      {"map_fn", "wanted equal lengths", "sequences_test.cc:"});
  EveryWayFails(
      [&](const Tensors& x) -> Tensors {
        return {map_fn(add, Pair(x[0], x[1]))};
      },
      {F({1, 2}), F({1, 2, 3})},
      {"map_fn", "wanted equal lengths", "sequences_test.cc:"});
}

TEST(Sequences, WithVariablesGoInOrder) {
  Graph graph;
  GraphScope building(graph);
  Variable v = variable(constant(0.0f), "v");
  Operation init = initialize_variables(graph);
  Tensor y = map_fn(
      [&](Tensor e) {
        v.assign(v.read() * 10.0f + e);
        return v.read();
      },
      constant({1.0f, 2.0f, 3.0f}));
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    session.run(init);
    EXPECT_EQ(Elements<float>(session.run(y, {}, options)),
              (std::vector<float>{1, 12, 123}));
  });
}

}  // namespace
}  // namespace sluice
