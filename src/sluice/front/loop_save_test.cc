// What a loop keeps for its gradient changes no gradient: those with
// checkpoints are those of the same loop that keeps everything.
#include <tuple>

#include "sluice/front/control_flow.h"
#include "sluice/front/front_test_util.h"
#include "sluice/front/sequences.h"
#include "sluice/trace/save.h"

namespace sluice {
namespace {

using Tensors = std::vector<Tensor>;
using Loop = std::function<Tensor(const Tensors&, const LoopOptions&)>;

Array F(std::initializer_list<float> v) { return Array::Vector<float>(v); }

// Gradients of the sum of f in a graph, by one executor.
std::vector<Array> InGraph(const Loop& f, const std::vector<Array>& args,
                           const LoopOptions& options,
                           ExecutorChoice executor) {
  Graph graph;
  Tensors inputs, found;
  {
    GraphScope building(graph);
    for (const Array& a : args) {
      inputs.push_back(placeholder(f32, PartialShape::OfRank(a.rank())));
    }
    found = gradients({sum(f(inputs, options))}, inputs,
                      {.zeros_when_unconnected = true});
  }
  Session session(graph);
  RunOptions run;
  run.executor = executor;
  std::vector<Feed> feeds;
  for (size_t i = 0; i < args.size(); ++i)
    feeds.push_back({inputs[i], args[i]});
  return session.run(std::vector<Fetch>(found.begin(), found.end()), feeds, {},
                     run);
}

// Captures are added up stretch by stretch: sums of parts, rounded in another
// order than one long sum.
void ExpectClose(const Array& got, const Array& want, const std::string& how) {
  ASSERT_EQ(got.shape(), want.shape()) << how;
  std::vector<float> a = Elements<float>(got), b = Elements<float>(want);
  for (size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a[k], b[k], 2e-5 * (1 + std::abs(b[k])))
        << how << ", element " << k;
  }
}

void ExpectSavesAgree(const Loop& f, const std::vector<Array>& args,
                      bool budgets = true) {
  std::vector<Array> want = InGraph(f, args, {}, ExecutorChoice::kTape);
  std::vector<std::pair<std::string, Save>> saves = {{"recompute", "recompute"},
                                                     {"host", "host"}};
  if (budgets) {
    saves.emplace_back("a budget", budget(4000));
    saves.emplace_back("a small budget", budget(600));
  }
  for (const auto& [how, save] : saves) {
    for (auto [name, executor] :
         {std::pair("tape", ExecutorChoice::kTape),
          std::pair("tokens", ExecutorChoice::kTokens)}) {
      LoopOptions options;
      options.save = save;
      std::vector<Array> got = InGraph(f, args, options, executor);
      for (size_t i = 0; i < want.size(); ++i) {
        ExpectClose(got[i], want[i],
                    how + ", " + name + ", argument " + std::to_string(i));
      }
    }
  }
}

TEST(LoopSave, AnyNumberOfIterationsThatIsNotKnown) {
  for (float trips : {0, 1, 2, 3, 5, 17, 100}) {
    SCOPED_TRACE(trips);
    Loop f = [&](const Tensors& x, const LoopOptions& options) {
      auto [i, z, seen] =
          while_loop([&](Tensor i, Tensor, Tensor) { return i < trips; },
                     [&](Tensor i, Tensor z, Tensor seen) {
                       return std::tuple(i + 1.0f, sin(z * x[1]) + x[0] * 0.1f,
                                         seen + z * z);
                     },
                     0.0f, x[0], x[0], options);
      return z * 3.0f + seen;
    };
    ExpectSavesAgree(f, {F({.3f, .9f}), F({1.1f, -.7f})});
  }
}

// Without captures there is nothing to add up: the same bits.
TEST(LoopSave, WithoutCapturesTheSameBits) {
  for (int64_t trips : {1, 7, 64}) {
    Loop f = [&](const Tensors& x, const LoopOptions& options) {
      return for_loop(
          trips, [](Tensor, Tensor z) { return sin(z) * 1.3f; }, x[0], options);
    };
    std::vector<Array> args = {F({.3f, .9f, -2})};
    Array want = InGraph(f, args, {}, ExecutorChoice::kTape)[0];
    for (const Save& save : {Save("recompute"), budget(200)}) {
      LoopOptions options;
      options.save = save;
      EXPECT_TRUE(
          InGraph(f, args, options, ExecutorChoice::kAuto)[0].BitEquals(want))
          << save.how();
    }
  }
}

TEST(LoopSave, LoopsAndBranchesInside) {
  for (int64_t trips : {0, 1, 2, 3, 5, 17}) {
    SCOPED_TRACE(trips);
    Loop f = [&](const Tensors& x, const LoopOptions& options) {
      return for_loop(
          trips,
          [&](Tensor i, Tensor h) {
            Tensor inner = std::get<1>(
                while_loop([&](Tensor k, Tensor) { return k < mod(i, 4); },
                           [&](Tensor k, Tensor z) {
                             return std::tuple(k + 1, sin(z * x[0]));
                           },
                           int64_t{0}, h, options));
            return cond(
                sum(h) > 0.5f, [&] { return inner * h; },
                [&] { return h * 0.5f + x[1] * inner; });
          },
          x[0], options);
    };
    ExpectSavesAgree(f, {F({.3f, .9f}), F({1, -.5f})});
  }
}

TEST(LoopSave, Sequences) {
  for (int64_t length : {1, 2, 5, 17}) {
    SCOPED_TRACE(length);
    std::vector<float> xs;
    for (int64_t i = 0; i < 2 * length; ++i) {
      xs.push_back(.1f * static_cast<float>(i % 7) - .2f);
    }
    Array sequence = Array::Of<float>({length, 2}, std::span<const float>(xs));
    Loop scanned = [](const Tensors& x, const LoopOptions& options) {
      return scan([&](Tensor h, Tensor e) { return tanh(h * x[2] + e); }, x[1],
                  x[0], {.loop = options}) *
             x[0];
    };
    Loop mapped = [](const Tensors& x, const LoopOptions& options) {
      return map_fn([&](Tensor e) { return sin(e * x[1]) * x[2]; }, x[0],
                    options);
    };
    Loop folded = [](const Tensors& x, const LoopOptions& options) {
      return foldl([&](Tensor a, Tensor e) { return sin(a * x[2]) + e; }, x[0],
                   x[1], options);
    };
    for (const Loop& f : {scanned, mapped, folded}) {
      ExpectSavesAgree(f, {sequence, F({.3f, .9f}), F({1.1f, -.5f})});
    }
  }
}

TEST(LoopSave, ListsThatAreReadAndWritten) {
  Loop f = [](const Tensors& x, const LoopOptions& options) {
    auto [i, seen] = while_loop(
        [](Tensor i, List) { return i < int64_t{9}; },
        [&](Tensor i, List seen) {
          Tensor last = seen.get(seen.size() - int64_t{1});
          return std::tuple(i + int64_t{1},
                            std::move(seen).append(sin(last * x[1]) + x[0]));
        },
        int64_t{0}, List(f32).append(x[0]), options);
    return seen.stack();
  };
  ExpectSavesAgree(f, {F({.3f, .9f}), F({1.1f, -.5f})});
}

TEST(LoopSave, SecondOrder) {
  for (int64_t trips : {0, 1, 5, 17}) {
    SCOPED_TRACE(trips);
    auto second = [&](const Save& save, ExecutorChoice executor) {
      Graph graph;
      Tensor x, w;
      std::vector<Tensor> found;
      {
        GraphScope building(graph);
        x = placeholder(f32, {2});
        w = placeholder(f32, {2});
        LoopOptions options;
        options.save = save;
        Tensor y = for_loop(
            trips, [&](Tensor, Tensor z) { return sin(z * w) + x * 0.1f; }, x,
            options);
        Tensor first = gradients({sum(y)}, {x})[0];
        found = gradients({sum(first * first)}, {x, w},
                          {.zeros_when_unconnected = true});
      }
      Session session(graph);
      RunOptions run;
      run.executor = executor;
      return session.run(std::vector<Fetch>(found.begin(), found.end()),
                         {{x, F({.3f, .9f})}, {w, F({1.1f, -.7f})}}, {}, run);
    };
    std::vector<Array> want = second("device", ExecutorChoice::kTape);
    for (const Save& save : {Save("recompute"), budget(600)}) {
      for (ExecutorChoice executor :
           {ExecutorChoice::kTape, ExecutorChoice::kTokens}) {
        std::vector<Array> got = second(save, executor);
        for (size_t i = 0; i < got.size(); ++i) {
          ExpectClose(got[i], want[i], save.how());
        }
      }
    }
  }
}

// What is computed again draws the same numbers, in loops inside, too.
TEST(LoopSave, RandomNumbersAreDrawnAgain) {
  Loop f = [](const Tensors& x, const LoopOptions& options) {
    return for_loop(
        9,
        [&](Tensor, Tensor h) {
          Tensor noisy = h * random_normal({2}) + x[1];
          Tensor inner = for_loop(
              3, [&](Tensor, Tensor z) { return z * random_uniform({2}) + h; },
              noisy);
          return cond(
              sum(h) > 0.0f,
              [&] { return sin(inner) * (x[0] + random_normal({2})); },
              [&] { return sin(inner) + random_uniform({2}); });
        },
        x[0], options);
  };
  ExpectSavesAgree(f, {F({.3f, .9f}), F({1, -.5f})});
}

// Between the loop and its gradient the variable has another value.
TEST(LoopSave, VariablesAreThoseTheLoopRead) {
  for (const Save& save : {Save("device"), Save("recompute"), budget(600)}) {
    Graph graph;
    Tensor gradient;
    {
      GraphScope building(graph);
      Variable v = variable(2.0f, "v");
      Tensor x = constant(1.0f) * 1.0f;
      LoopOptions options;
      options.save = save;
      Tensor y = for_loop(
          5, [&](Tensor, Tensor z) { return z * z * v.read(); }, x, options);
      ControlScope after({v.assign(y * 0.0f + 100.0f)});
      gradient = gradients({y * 1.0f}, {x})[0];
    }
    Session session(graph);
    session.run(initialize_variables(graph));
    // y = 2^31 x^32.
    EXPECT_EQ(*session.run(gradient).data<float>(), 32 * 2147483648.0f)
        << save.how();
  }
}

TEST(LoopSave, CapturedAndAtOnce) {
  Array start = F({.3f, .9f}), weight = F({1.1f, -.7f});
  auto run = [&](const Save& save, bool captured, LoopReport& report) {
    (void)report;
    Tensor x = Tensor(MakeRef<EagerValue>(start)).requires_grad_();
    Tensor w = Tensor(MakeRef<EagerValue>(weight)).requires_grad_();
    auto f = [&](Tensor x, Tensor w) {
      LoopOptions options;
      options.name = "ours";
      options.save = save;
      return sum(for_loop(
          17, [w](Tensor, Tensor z) { return sin(z * w) + z * 0.1f; }, x,
          options));
    };
    if (captured) {
      function(f)(x, w).backward();
    } else {
      f(x, w).backward();
    }
    return std::pair(x.grad().array(), w.grad().array());
  };
  LoopReport none;
  auto [dx, dw] = run("device", false, none);
  for (const Save& save : {Save("recompute"), budget(600)}) {
    LoopReport report;
    auto [a, b] = run(save, true, report);
    ExpectClose(a, dx, "captured");
    ExpectClose(b, dw, "captured");
    // A captured function runs its loop forward, and again for the gradient.
    ASSERT_TRUE(report.find("ours")) << report.ToString();
    EXPECT_GE(report.find("ours")->iterations, 17);
    EXPECT_GE(report.find("ours")->recomputed, 17);
  }
  LoopReport report;
  auto [a, b] = run("recompute", false, report);
  ExpectClose(a, dx, "at once");
  ExpectClose(b, dw, "at once");
  ASSERT_TRUE(report.find("ours")) << report.ToString();
  EXPECT_EQ(report.find("ours")->iterations, 17);
  EXPECT_EQ(report.find("ours")->recomputed, 17);
  // Stretches of 1, 2, 3, 4, 5 and 2, each begun with an i64 and two floats.
  EXPECT_EQ(report.find("ours")->kept_bytes, 6 * 16);
}

}  // namespace
}  // namespace sluice
