// One of several branches: by number, by the first predicate that holds.
#include "tests/conformance/conformance_test_util.h"

namespace sluice {
namespace {

using Branches = std::vector<std::function<Tensor()>>;

TEST(SwitchCases, OneBranchManyBranchesAndBothTypesOfIndex) {
  for (size_t n : {size_t{1}, size_t{2}, size_t{40}}) {
    Fn f = [n](const Tensors& x) -> Tensors {
      Branches branches;
      for (size_t i = 0; i < n; ++i) {
        branches.push_back([&x, i] { return x[2] + static_cast<double>(i); });
      }
      return {switch_case(x[0], branches), switch_case(x[1], branches)};
    };
    int last = static_cast<int>(n) - 1;
    for (int i : {0, last / 2, last}) {
      std::vector<Array> out =
          EveryWay(f, {I(i), Array::Scalar<int32_t>(i), F(0.5f)});
      EXPECT_EQ(Item(out[0]), static_cast<float>(i) + 0.5f);
      EXPECT_EQ(Item(out[1]), static_cast<float>(i) + 0.5f);
    }
  }
}

TEST(SwitchCases, WithoutADefaultAnIndexOutOfRangeIsAnError) {
  // Elsewhere the last branch would run, and a wrong index pass unnoticed.
  Fn f = [](const Tensors& x) -> Tensors {
    return {switch_case(x[0], {[&] { return x[1]; }, [&] { return -x[1]; }})};
  };
  for (int64_t i : {int64_t{-1}, int64_t{2}, int64_t{1} << 40}) {
    EveryWayFails(f, {I(i), F(1)},
                  {"the index is " + std::to_string(i) +
                       "; wanted one of the 2 branches, 0 to 1",
                   "switch_case_test.cc:"});
  }
}

TEST(SwitchCases, TheDefaultRunsForAllElse) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {switch_case(x[0], {[&] { return x[1]; }},
                        [&] { return x[1] * 100.0f; })};
  };
  EXPECT_EQ(Item(EveryWay(f, {I(0), F(2)})[0]), 2);
  for (int64_t i : {int64_t{1}, int64_t{-1}, int64_t{1} << 62}) {
    EXPECT_EQ(Item(EveryWay(f, {I(i), F(2)})[0]), 200);
  }
}

TEST(SwitchCases, ADefaultAloneIsEnough) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {switch_case(x[0], Branches{}, [&] { return x[1] + 1.0f; })};
  };
  EXPECT_EQ(Item(EveryWay(f, {I(3), F(2)})[0]), 3);
}

TEST(SwitchCases, NoBranchAtAllIsRefused) {
  EveryWayFails(
      [](const Tensors& x) -> Tensors {
        return {switch_case(x[0], Branches{})};
      },
      {I(0)}, {"[switch_case] there are no branches", "switch_case_test.cc:"});
}

TEST(SwitchCases, CarryStructuresAndShapesThatDiffer) {
  using Pair = std::pair<Tensor, Tensors>;
  Fn f = [](const Tensors& x) -> Tensors {
    std::vector<std::function<Pair()>> branches{
        [&] { return Pair(x[1], {x[1], x[1]}); },
        [&] { return Pair(concat({x[1], x[1]}, {.axis = 0}), {x[1], -x[1]}); },
        [&] { return Pair(sum(x[1]), {sum(x[1]), x[1]}); }};
    Pair y = switch_case<Pair>(x[0], branches);
    return {y.first, y.second[0], y.second[1]};
  };
  EXPECT_EQ(EveryWay(f, {I(0), F({1, 2})})[0].shape(), (Shape{2}));
  EXPECT_EQ(EveryWay(f, {I(1), F({1, 2})})[0].shape(), (Shape{4}));
  EXPECT_EQ(EveryWay(f, {I(2), F({1, 2})})[0].shape(), Shape());
}

TEST(SwitchCases, StructuresOfAllBranchesMustAgree) {
  Graph graph;
  GraphScope building(graph);
  Tensor i = Scalar(i64, "i");
  Contains(ErrorOf([&] {
             switch_case<Tensors>(
                 i, {[] { return Tensors{constant(1.0f)}; },
                     [] { return Tensors{constant(1.0f)}; },
                     [] { return Tensors{constant(1.0f), constant(2.0f)}; }});
           }),
           "[switch_case] branch 0 returns [tensor], branch 2 returns [tensor, "
           "tensor]; wanted equal structures");
  Contains(ErrorOf([&] {
             switch_case(i, {[] { return constant(1.0f); },
                             [] { return constant(1); }});
           }),
           "[switch_case] result 0 is f32 in branch 0 and i32 in branch 1");
}

TEST(SwitchCases, NestInOneAnotherAndInLoops) {
  // A program of ops by number, run on an accumulator.
  Fn f = [](const Tensors& x) -> Tensors {
    return {for_loop(
        size(x[0]),
        [&](Tensor i, Tensor y) {
          return switch_case(
              gather(x[0], i),
              {[&] { return y + 1.0f; }, [&] { return y * 3.0f; },
               [&] {
                 return switch_case(
                     cast(y, i64),
                     {[&] { return y; }, [&] { return y - 1.0f; }},
                     [&] { return y * 0.5f; });
               }});
        },
        x[1])};
  };
  // 0 -> 1 -> 3 -> 1.5 -> 0.5 -> 0.5 -> 1.5
  EXPECT_EQ(
      Item(EveryWay(f, {Array::Vector<int64_t>({0, 1, 2, 2, 2, 1}), F(0)})[0]),
      1.5f);
}

TEST(SwitchCases, OnlyTheChosenOneHasEffects) {
  Graph graph;
  Tensor i, y, read;
  Operation init;
  {
    GraphScope building(graph);
    i = Scalar(i32, "i");
    Variable v = variable(constant(0.0f), "v");
    init = initialize_variables(graph);
    Branches branches;
    for (float d : {1.0f, 10.0f, 100.0f}) {
      branches.push_back([v, d] {
        v.assign_add(d);
        return v.read();
      });
    }
    y = switch_case(i, branches);
    read = v.read();
  }
  EachExecutor([&](const RunOptions& options) {
    Session session(graph);
    session.run(init);
    float want = 0;
    for (int k : {2, 0, 0, 1}) {
      want += k == 0 ? 1 : k == 1 ? 10 : 100;
      EXPECT_EQ(Item(session.run(y, {{i, k}}, options)), want);
    }
  });
}

// Several predicates, the first that holds: written as a chain of conditionals.
// Nothing asks a predicate that stands behind one that holds.
Tensor FirstOf(const std::vector<std::pair<std::function<Tensor()>,
                                           std::function<Tensor()>>>& cases,
               const std::function<Tensor()>& otherwise, size_t i = 0) {
  if (i == cases.size()) return otherwise();
  return cond(cases[i].first(), cases[i].second,
              [&] { return FirstOf(cases, otherwise, i + 1); });
}

TEST(Cases, TheFirstPredicateThatHoldsWins) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto above = [&](float v) { return [&x, v] { return x[0] > v; }; };
    auto give = [](float v) { return [v] { return constant(v); }; };
    return {FirstOf(
        {{above(10), give(1)}, {above(5), give(2)}, {above(0), give(3)}},
        give(4))};
  };
  EXPECT_EQ(Item(EveryWay(f, {F(20)})[0]), 1);
  EXPECT_EQ(Item(EveryWay(f, {F(7)})[0]), 2);
  EXPECT_EQ(Item(EveryWay(f, {F(1)})[0]), 3);
  EXPECT_EQ(Item(EveryWay(f, {F(-1)})[0]), 4);
}

TEST(Cases, LaterPredicatesAreNotAsked) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {FirstOf({{[&] { return x[0] > 0.0f; }, [&] { return x[0]; }},
                     {[&] {
                        assert_that(x[0] < -100.0f, {}, {.message = "asked"});
                        return constant(true);
                      },
                      [&] { return -x[0]; }}},
                    [&] { return x[0]; })};
  };
  EXPECT_EQ(Item(EveryWay(f, {F(1)})[0]), 1);
  EveryWayFails(f, {F(-1)}, {"asked"});
}

}  // namespace
}  // namespace sluice
