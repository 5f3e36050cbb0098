// What a loop keeps for its gradient changes no gradient: those with
// checkpoints are those of the same loop that keeps everything.
#include <tuple>

#include "sluice/front/control_flow.h"
#include "sluice/front/front_test_util.h"
#include "sluice/front/save.h"
#include "sluice/front/sequences.h"

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
  std::vector<std::pair<std::string, Save>> saves = {
      {"recompute", "recompute"}};
  if (budgets) {
    saves.emplace_back("a budget", budget(4000));
    saves.emplace_back("a small budget", budget(600));
  }
  for (const auto& [how, save] : saves) {
    for (auto [name, executor] :
         {std::pair("native", ExecutorChoice::kTape),
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

}  // namespace
}  // namespace sluice
