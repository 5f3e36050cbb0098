// Gradients through conditionals and loops: in graphs and captured functions
// they are what the imperative run of the same code gives.
#include "sluice/front/control_flow.h"
#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;
using Function1 = std::function<Tensor(const Tensors&)>;

// Gradients of f's sum, computed imperatively, in a graph by each executor and
// through a captured function; all agree.
void ExpectGradientsAgree(const Function1& f, const std::vector<Array>& args) {
  Tensors leaves;
  for (const Array& a : args) {
    leaves.push_back(Tensor(MakeRef<EagerValue>(a)).requires_grad_());
  }
  sum(f(leaves)).backward();
  auto expect = [&](size_t i, const Array& got, const std::string& how) {
    Array want = leaves[i].grad()
                     ? leaves[i].grad().array()
                     : Array::Zeros(args[i].dtype(), args[i].shape());
    ASSERT_EQ(got.shape(), want.shape()) << how;
    std::vector<float> a = Elements<float>(got), b = Elements<float>(want);
    for (size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(a[k], b[k], 1e-5 * (1 + std::abs(b[k])))
          << how << ", argument " << i << ", element " << k;
    }
  };

  Graph graph;
  Tensors inputs, found;
  {
    GraphScope building(graph);
    for (const Array& a : args) {
      inputs.push_back(placeholder(f32, PartialShape::OfRank(a.rank())));
    }
    found =
        gradients({sum(f(inputs))}, inputs, {.zeros_when_unconnected = true});
  }
  for (auto [name, executor] : {std::pair("auto", ExecutorChoice::kAuto),
                                std::pair("native", ExecutorChoice::kTape),
                                std::pair("tokens", ExecutorChoice::kTokens)}) {
    Session session(graph);
    RunOptions options;
    options.executor = executor;
    std::vector<Feed> feeds;
    for (size_t i = 0; i < args.size(); ++i)
      feeds.push_back({inputs[i], args[i]});
    std::vector<Array> out = session.run(
        std::vector<Fetch>(found.begin(), found.end()), feeds, {}, options);
    for (size_t i = 0; i < out.size(); ++i) expect(i, out[i], name);
  }

  Tensors again;
  for (const Array& a : args) {
    again.push_back(Tensor(MakeRef<EagerValue>(a)).requires_grad_());
  }
  auto captured = function([&](Tensors x) { return Tensors{sum(f(x))}; });
  captured(again)[0].backward();
  for (size_t i = 0; i < args.size(); ++i) {
    if (!again[i].grad()) continue;
    expect(i, again[i].grad().array(), "captured");
  }
}

Array F(std::initializer_list<float> v) { return Array::Vector<float>(v); }

TEST(LoopGradient, OfTheBranchThatRuns) {
  Function1 f = [](const Tensors& x) {
    return cond(
        sum(x[0]) > 1.0f, [&] { return tanh(x[0]) * x[1]; },
        [&] { return x[0] * x[0] * x[0]; });
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({3, 4})});
  ExpectGradientsAgree(f, {F({-1, 2}), F({3, 4})});
}

TEST(LoopGradient, OfABranchThatGivesOnWhatItReads) {
  Function1 f = [](const Tensors& x) {
    return cond(
               sum(x[0]) > 1.0f, [&] { return x[0]; }, [&] { return x[1]; }) *
           x[0];
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({3, 4})});
  ExpectGradientsAgree(f, {F({-1, 2}), F({3, 4})});
}

TEST(LoopGradient, OfALoopWithWeightsAround) {
  Array w = Array::Of<float>({2, 2}, {.3f, -.2f, .5f, .7f});
  for (int64_t trips : {0, 1, 5}) {
    Function1 f = [&](const Tensors& x) {
      return for_loop(
          trips, [&](Tensor, Tensor h) { return tanh(matmul(h, x[1]) + x[2]); },
          x[0]);
    };
    ExpectGradientsAgree(
        f, {Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}), w, F({.1f, .2f})});
  }
}

TEST(LoopGradient, OfATripCountThatDependsOnValues) {
  Function1 f = [](const Tensors& x) {
    return while_loop([](Tensor z) { return sum(z) < 50.0f; },
                      [&](Tensor z) { return z * x[1] + x[0]; }, x[0]);
  };
  ExpectGradientsAgree(f, {F({1, 2}), F({1.5f, 2})});
  ExpectGradientsAgree(f, {F({100, 2}), F({1.5f, 2})});
}

TEST(LoopGradient, OfNestedLoopsWithInnerCountsThatDiffer) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        4,
        [&](Tensor i, Tensor h) {
          Tensor inner =
              std::get<1>(while_loop([&](Tensor k, Tensor) { return k < i; },
                                     [&](Tensor k, Tensor z) {
                                       return std::tuple(k + 1, sin(z * x[0]));
                                     },
                                     int64_t{0}, h));
          return cond(
              sum(h) > 0.5f, [&] { return inner * h; },
              [&] { return h + x[1] * inner; });
        },
        x[0]);
  };
  ExpectGradientsAgree(f, {F({.3f, .9f}), F({1, -2})});
  ExpectGradientsAgree(f, {F({-.3f, .2f}), F({1, -2})});
}

TEST(LoopGradient, OfShapesThatGrow) {
  Function1 f = [](const Tensors& x) {
    return for_loop(
        3,
        [&](Tensor, Tensor h) {
          return concat({h * x[1], sin(h)}, {.axis = 0});
        },
        x[0]);
  };
  ExpectGradientsAgree(f, {F({.3f, .9f}), Array::Scalar(1.5f)});
}

// What is not there yet says so, and no gradient is silently missing.
TEST(LoopGradient, ThroughListsAndCallsIsAnErrorWithTheLine) {
  Tensor w = constant({1.0f, 2.0f}).requires_grad_();
  auto mapped = function(
      [](Tensor x) { return sum(map_fn([](Tensor e) { return e * e; }, x)); });
  std::string text = ErrorOf([&] { mapped(w).backward(); });
  Contains(text, "gradients do not pass through lists yet");
  Contains(text, "loop_gradient_test.cc:");
  Recursive<Tensor(Tensor)> grow([](const auto& self, Tensor x) {
    return cond(
        sum(x) > 100.0f, [&] { return x; }, [&] { return self(x * x); });
  });
  auto called = function([&](Tensor x) { return sum(grow(x)); });
  text = ErrorOf([&] { called(w).backward(); });
  Contains(text, "[Call] gradients do not pass through it yet");
  Contains(text, "loop_gradient_test.cc:");
}

TEST(LoopGradient, InsideALoop) {
  // Gradient descent on (z - x)^2, in the graph.
  Function1 f = [](const Tensors& x) {
    return for_loop(
        5,
        [&](Tensor, Tensor z) {
          Tensor loss = sum((z - x[0]) * (z - x[0]));
          Tensor step =
              z.symbolic() ? gradients({loss}, {z})[0] : 2.0f * (z - x[0]);
          return z - 0.25f * step;
        },
        x[1]);
  };
  ExpectGradientsAgree(f, {F({.3f, .9f}), F({4, 5})});
}

}  // namespace
}  // namespace sluice
