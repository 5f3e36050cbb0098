#include "sluice/front/control_flow.h"

#include <map>
#include <set>

#include "sluice/front/every_way_test_util.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;

Array F(std::initializer_list<float> v) { return Array::Vector<float>(v); }
Array I(int64_t v) { return Array::Scalar<int64_t>(v); }

TEST(Cond, TakesOneBranch) {
  Fn f = [](const Tensors& x) -> Tensors {
    return {
        cond(sum(x[0]) > 0, [&] { return sqrt(x[0]); }, [&] { return x[0]; })};
  };
  EXPECT_EQ(Elements<float>(EveryWay(f, {F({1, 4})})[0]),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(Elements<float>(EveryWay(f, {F({-1, -4})})[0]),
            (std::vector<float>{-1, -4}));
}

TEST(Cond, BranchesMayDifferInShapeAndReturnWhatIsAround) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [a, b] = cond(
        x[0] > 0, [&] { return std::pair(x[1], x[1]); },
        [&] {
          return std::pair(concat({x[1], x[1]}, {.axis = 0}), constant(7.0f));
        });
    return {a, b, a + 1.0f};
  };
  EXPECT_EQ(EveryWay(f, {I(1), F({1, 2})})[0].num_elements(), 2);
  std::vector<Array> out = EveryWay(f, {I(-1), F({1, 2})});
  EXPECT_EQ(Elements<float>(out[2]), (std::vector<float>{2, 3, 2, 3}));
  EXPECT_EQ(Elements<float>(out[1]), std::vector<float>{7});
}

TEST(Cond, NestsAndCarriesStructures) {
  using State = std::map<std::string, Tensors>;
  Fn f = [](const Tensors& x) -> Tensors {
    State s = cond(
        x[0] > 0,
        [&] {
          Tensor inner = cond(
              x[0] > 10, [&] { return x[1] * 2.0f; },
              [&] {
                return cond(
                    x[0] > 5, [&] { return x[1] * 3.0f; },
                    [&] { return -x[1]; });
              });
          return State{{"a", {inner}}, {"b", {x[1], inner}}};
        },
        [&] { return State{{"a", {x[1]}}, {"b", {x[1], x[1]}}}; });
    return {s["a"][0], s["b"][0], s["b"][1]};
  };
  for (auto [n, want] : {std::pair(20, 4.0f), std::pair(7, 6.0f),
                         std::pair(2, -2.0f), std::pair(-1, 2.0f)}) {
    EXPECT_EQ(Elements<float>(EveryWay(f, {I(n), F({2})})[0]),
              std::vector<float>{want});
  }
}

TEST(Cond, OnlyTheTakenBranchHasEffectsAndAsserts) {
  Graph graph;
  Tensor p, read;
  Operation branch, init;
  {
    GraphScope building(graph);
    p = placeholder(boolean, std::vector<int64_t>{}, "p");
    Variable v = variable(constant(1.0f), "v");
    init = initialize_variables(graph);
    branch = cond(
        p, [&] { v.assign_add(10.0f); },
        [&] {
          call("Assert", {constant(false)}, {{"message", "untaken"}});
          v.assign(-1.0f);
        });
    read = v.read();
  }
  Session session(graph);
  session.run(init);
  for (int i = 0; i < 3; ++i) session.run(branch, {{p, true}});
  EXPECT_EQ(session.run(read).data<float>()[0], 31.0f);
  std::string text = ErrorOf([&] { session.run(branch, {{p, false}}); });
  Contains(text, "untaken");
  EXPECT_EQ(session.run(read).data<float>()[0], 31.0f);
}

TEST(SwitchCase, PicksByNumber) {
  Fn with_default = [](const Tensors& x) -> Tensors {
    return {switch_case(x[0],
                        {[&] { return x[1]; }, [&] { return x[1] * 2.0f; }},
                        [&] { return constant({9.0f}); })};
  };
  for (auto [n, want] : {std::pair(0, 3.0f), std::pair(1, 6.0f),
                         std::pair(2, 9.0f), std::pair(-5, 9.0f)}) {
    EXPECT_EQ(Elements<float>(EveryWay(with_default, {I(n), F({3})})[0]),
              std::vector<float>{want});
  }
  Fn strict = [](const Tensors& x) -> Tensors {
    return {switch_case(x[0], {[&] { return x[1]; }, [&] { return -x[1]; }})};
  };
  EXPECT_EQ(Elements<float>(EveryWay(strict, {I(1), F({3})})[0]),
            std::vector<float>{-3});
  EveryWayFails(strict, {I(2), F({3})},
                {"the index is 2; wanted one of the 2 branches, 0 to 1",
                 "control_flow_test.cc:"});
}

TEST(WhileLoop, NewtonOfTheReadme) {
  Fn f = [](const Tensors& x) -> Tensors {
    const Tensor& a = x[0];
    auto [steps, root] =
        while_loop([&](Tensor, Tensor z) { return abs(z * z - a) > 1e-5f; },
                   [&](Tensor i, Tensor z) {
                     return std::tuple(i + 1, 0.5f * (z + a / z));
                   },
                   0, a);
    return {steps, root};
  };
  std::vector<Array> out = EveryWay(f, {Array::Scalar(9.0f)});
  EXPECT_NEAR(*out[1].data<float>(), 3.0f, 1e-5);
  EXPECT_GT(*out[0].data<int32_t>(), 3);
}

TEST(WhileLoop, ZeroOneAndManyIterationsAndAMaximum) {
  for (int64_t maximum : {-1, 0, 1, 4}) {
    Fn f = [&](const Tensors& x) -> Tensors {
      auto [i, y] = while_loop(
          [&](Tensor i, Tensor) { return i < x[0]; },
          [](Tensor i, Tensor y) { return std::tuple(i + 1, y * 2.0f); },
          int64_t{0}, x[1], {.maximum_iterations = maximum});
      return {i, y};
    };
    for (int64_t n : {0, 1, 7}) {
      int64_t trips = maximum < 0 ? n : std::min(n, maximum);
      std::vector<Array> out = EveryWay(f, {I(n), F({1.5f})});
      EXPECT_EQ(*out[0].data<int64_t>(), trips);
      EXPECT_EQ(*out[1].data<float>(), 1.5f * static_cast<float>(1 << trips));
    }
  }
}

TEST(WhileLoop, ShapesMayChangeFromOneIterationToTheNext) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [i, y] = while_loop([&](Tensor i, Tensor) { return i < x[0]; },
                             [](Tensor i, Tensor y) {
                               return std::tuple(
                                   i + 1, concat({y, y + 1.0f}, {.axis = 0}));
                             },
                             int64_t{0}, x[1]);
    return {y, sum(y)};
  };
  std::vector<Array> out = EveryWay(f, {I(3), F({1})});
  EXPECT_EQ(Elements<float>(out[0]),
            (std::vector<float>{1, 2, 2, 3, 2, 3, 3, 4}));
}

TEST(WhileLoop, RankMayChange) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [i, y] = while_loop(
        [&](Tensor i, Tensor) { return i < x[0]; },
        [](Tensor i, Tensor y) { return std::tuple(i + 1, expand_dims(y, 0)); },
        int64_t{0}, x[1]);
    return {y};
  };
  EXPECT_EQ(EveryWay(f, {I(3), F({1, 2})})[0].shape(), (Shape{1, 1, 1, 2}));
}

TEST(WhileLoop, ValuesReturnedUnchangedSwappedAndTwice) {
  Fn f = [](const Tensors& x) -> Tensors {
    auto [i, a, b, c] =
        while_loop([&](Tensor i, Tensor, Tensor, Tensor) { return i < x[0]; },
                   [&](Tensor i, Tensor a, Tensor b, Tensor) {
                     return std::tuple(i + 1, b, a, x[1]);
                   },
                   int64_t{0}, x[1], x[2], x[2]);
    return {a, b, c};
  };
  std::vector<Array> out = EveryWay(f, {I(3), F({1}), F({2})});
  EXPECT_EQ(*out[0].data<float>(), 2);
  EXPECT_EQ(*out[1].data<float>(), 1);
  EXPECT_EQ(*out[2].data<float>(), 1);
}

TEST(WhileLoop, NestedLoopsAndConditionals) {
  // Collatz: how many steps for each of 1..n, added up.
  Fn f = [](const Tensors& x) -> Tensors {
    auto [n, total] = while_loop(
        [&](Tensor n, Tensor) { return n <= x[0]; },
        [&](Tensor n, Tensor total) {
          auto [last, steps] = while_loop(
              [](Tensor k, Tensor) { return k > 1; },
              [](Tensor k, Tensor s) {
                Tensor even = equal(mod(k, int64_t{2}), int64_t{0});
                return std::tuple(
                    cond(
                        even, [&] { return floor_div(k, int64_t{2}); },
                        [&] { return k * 3 + 1; }),
                    s + 1);
              },
              n, int64_t{0});
          return std::tuple(n + 1, total + steps);
        },
        int64_t{1}, int64_t{0});
    return {total};
  };
  int64_t want = 0;
  for (int64_t n = 1; n <= 12; ++n) {
    for (int64_t k = n; k > 1; ++want) k = k % 2 ? 3 * k + 1 : k / 2;
  }
  EXPECT_EQ(*EveryWay(f, {I(12)})[0].data<int64_t>(), want);
}

TEST(WhileLoop, LoopAgainstUnrolledIsBitEqual) {
  Array w = Array::Of<float>({3, 3},
                             {.1f, -.4f, .3f, .7f, .2f, -.6f, .5f, .9f, -.8f});
  for (int64_t n : {0, 1, 9}) {
    Fn loop = [&](const Tensors& x) -> Tensors {
      return {for_loop(
          n, [&](Tensor, Tensor h) { return tanh(matmul(h, x[1]) + 0.1f); },
          x[0])};
    };
    Fn unrolled = [&](const Tensors& x) -> Tensors {
      Tensor h = x[0];
      for (int64_t i = 0; i < n; ++i) h = tanh(matmul(h, x[1]) + 0.1f);
      return {h};
    };
    std::vector<Array> args{Array::Of<float>({1, 3}, {1, 2, 3}), w};
    EXPECT_TRUE(EveryWay(loop, args)[0].BitEquals(EveryWay(unrolled, args)[0]));
  }
}

TEST(WhileLoop, VariablesAreReadAndWrittenInProgramOrder) {
  Graph graph;
  Tensor last, n;
  Operation init;
  {
    GraphScope building(graph);
    n = placeholder(i64, std::vector<int64_t>{}, "n");
    Variable v = variable(constant(1.0f), "v");
    init = initialize_variables(graph);
    Tensor i = for_loop(
        n,
        [&](Tensor, Tensor k) {
          v.assign(v.read() * 2.0f);
          cond(k > 2, [&] { v.assign_add(1.0f); }, [&] {});
          return k + 1;
        },
        int64_t{0});
    last = v.read() + call("Cast", {i}, {{"dtype", f32}})[0] * 0.0f;
  }
  float want = 1;
  for (int k = 0; k < 6; ++k) want = want * 2 + (k > 2 ? 1 : 0);
  for (ExecutorChoice executor : {ExecutorChoice::kAuto, ExecutorChoice::kTape,
                                  ExecutorChoice::kTokens}) {
    Session session(graph);
    session.run(init);
    RunOptions options;
    options.executor = executor;
    EXPECT_EQ(session.run(last, {{n, int64_t{6}}}, options).data<float>()[0],
              want);
  }
}

TEST(WhileLoop, EveryIterationDrawsItsOwnNumbers) {
  Graph graph;
  Tensor drawn;
  {
    GraphScope building(graph);
    drawn = for_loop(
        4,
        [&](Tensor, Tensor all) {
          return concat({all, random_uniform({2})}, {.axis = 0});
        },
        zeros({0}));
  }
  std::vector<float> first;
  for (ExecutorChoice executor : {ExecutorChoice::kAuto, ExecutorChoice::kTape,
                                  ExecutorChoice::kTokens}) {
    Session session(graph);
    RunOptions options;
    options.executor = executor;
    std::vector<float> now =
        Elements<float>(session.run({drawn}, {}, {}, options)[0]);
    EXPECT_EQ(std::set<float>(now.begin(), now.end()).size(), 8u);
    if (first.empty()) first = now;
    EXPECT_EQ(now, first);
  }
}

TEST(WhileLoop, AVariableMadeInsideIsMadeOnce) {
  Tensor seen;
  auto f = function([&](Tensor x) {
    return for_loop(
        3,
        [&](Tensor, Tensor y) {
          Variable v = variable(constant(0.0f), "inside");
          v.assign_add(1.0f);
          return y + v.read();
        },
        x);
  });
  EXPECT_EQ(f(constant(0.0f)).item<float>(), 6.0f);
  EXPECT_EQ(f(constant(0.0f)).item<float>(), 15.0f);
}

TEST(CapturedLoops, WriteTensorsOfTheProgramAround) {
  Tensor total = constant(0.0f), count = constant(0.0f);
  auto f = function([&](Tensor x) {
    Tensor y = for_loop(
        3,
        [&](Tensor i, Tensor y) {
          total.add_(y);
          cond(i > 0, [&] { count.add_(1.0f); }, [&] { count.sub_(10.0f); });
          return y * 2.0f;
        },
        x);
    return y + total;
  });
  EXPECT_EQ(f(constant(1.0f)).item<float>(), 8.0f + 7.0f);
  EXPECT_EQ(total.item<float>(), 7.0f);
  EXPECT_EQ(count.item<float>(), -8.0f);
  EXPECT_EQ(f(constant(1.0f)).item<float>(), 8.0f + 14.0f);
  EXPECT_EQ(count.item<float>(), -16.0f);
}

TEST(ImperativeLoops, HaveGradients) {
  Tensor w = constant(2.0f).requires_grad_();
  Tensor y = for_loop(
      3,
      [&](Tensor, Tensor h) {
        return cond(h > 3.0f, [&] { return h * w; }, [&] { return h + w; });
      },
      w);
  y.backward();
  EXPECT_EQ(y.item<float>(), 16.0f);         // ((w + w) * w) * w
  EXPECT_EQ(w.grad().item<float>(), 24.0f);  // 6 w w
}

// ---- Bad input ----

TEST(ControlFlowErrors, PredicatesAreScalarsOfBool) {
  EveryWayFails(
      [](const Tensors& x) -> Tensors {
        return {cond(x[0] > 0.0f, [&] { return x[0]; }, [&] { return x[0]; })};
      },
      {F({1, 2})},
      {"[cond] the predicate is bool[", "]; wanted a scalar of bool",
       "control_flow_test.cc:"});
  EveryWayFails(
      [](const Tensors& x) -> Tensors {
        return {while_loop([](Tensor y) { return y; },
                           [](Tensor y) { return y; }, x[0])};
      },
      {Array::Scalar(1.0f)},
      {"[while_loop] the condition gives f32[]; wanted a scalar of bool"});
}

TEST(ControlFlowErrors, BranchesAgreeInStructureAndType) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = placeholder(boolean, std::vector<int64_t>{}, "p");
  int nodes = graph.num_nodes();
  Contains(ErrorOf([&] {
             cond(
                 p, [&] { return Tensors{constant(1.0f), constant(2.0f)}; },
                 [&] { return Tensors{constant(1.0f)}; });
           }),
           "[cond] the true branch returns [tensor, tensor], the false branch "
           "returns [tensor]; wanted equal structures\n  at ");
  Contains(
      ErrorOf([&] {
        cond(p, [&] { return constant(1.0f); }, [&] { return constant(1); });
      }),
      "[cond] result 0 is f32 in the true branch and i32 in the false "
      "branch; wanted equal types");
  // What failed is not in the graph.
  EXPECT_EQ(graph.num_nodes(), nodes);
}

TEST(ControlFlowErrors, BodiesGiveWhatTheyAreGiven) {
  Graph graph;
  GraphScope building(graph);
  Tensor x = placeholder(f32, std::vector<int64_t>{}, "x");
  Contains(ErrorOf([&] {
             while_loop([](Tensors v) { return v[0] > 0.0f; },
                        [](Tensors v) { return Tensors{v[0], v[0]}; },
                        Tensors{x});
           }),
           "[while_loop] the body returns ([tensor, tensor]); wanted "
           "([tensor]), as it is given");
  Contains(ErrorOf([&] {
             while_loop([](Tensor v) { return v > 0.0f; },
                        [](Tensor) { return constant(1); }, x);
           }),
           "the body returns i32 for value 0, which is f32; wanted the type to "
           "stay");
}

TEST(ControlFlowErrors, ValuesOfABranchAreNotThereOutside) {
  Graph graph;
  GraphScope building(graph);
  Tensor p = placeholder(boolean, std::vector<int64_t>{}, "p");
  Tensor inside;
  Tensor y = cond(
      p, [&] { return inside = constant(1.0f) + 1.0f; },
      [&] { return constant(0.0f); });
  Contains(ErrorOf([&] { inside + y; }),
           "was made in the region \"then\" of If \"cond\" at ");
}

TEST(ControlFlowErrors, AnErrorInIterationSevenSaysSo) {
  EveryWayFails(
      [](const Tensors& x) -> Tensors {
        return {for_loop(
            10, [&](Tensor i, Tensor y) { return y + gather(x[0], i); },
            constant(0.0f))};
      },
      {F({1, 2, 3, 4, 5, 6, 7})},
      {"[Gather]", "control_flow_test.cc:", "in iteration 7 of the loop at "});
}

}  // namespace
}  // namespace sluice
