// Gradients of random programs: equal bits on every executor and, where a
// program is smooth, agreement with finite differences.
#include <gtest/gtest.h>

#include <cmath>

#include "sluice/autodiff/gradients.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/base/worker_pool.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/random_gradient_test_util.h"

namespace sluice {
namespace {

constexpr uint32_t kPrograms = SL_TSAN || SL_ASAN ? 60 : 300;

Result<Arrays> Reference(const Graph& graph, const Arrays& args) {
  ResourceManager resources;
  StepContext step;
  step.step_id = 1;
  step.resources = &resources;
  return Interpret(graph, args, step);
}

struct Way {
  const char* name;
  ExecutorChoice executor;
  int64_t parallel;
  bool two_threads;
};
constexpr Way kWays[] = {
    {"tape", ExecutorChoice::kTape, 10, false},
    {"tokens, 1 at once", ExecutorChoice::kTokens, 1, false},
    {"tokens, 4 at once, two threads", ExecutorChoice::kTokens, 4, true},
    {"tokens, 32 at once, two threads", ExecutorChoice::kTokens, 32, true},
    {"auto, two threads", ExecutorChoice::kAuto, 10, true},
};

void ExpectSame(const Differentiated& program, const Arrays& want,
                const Way& way) {
  static auto* two_threads = new WorkerPool(2);
  const RandomFlow& flow = program.flow();
  SetParallel(*flow.graph, way.parallel);
  ResourceManager resources;
  Result<Arrays> got =
      RunOnPlan(*flow.graph, flow.args, way.executor,
                way.two_threads ? two_threads : nullptr, &resources);
  ASSERT_TRUE(got.ok()) << way.name << ": " << got.status().ToString() << "\n"
                        << PrintGraph(*flow.graph);
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_TRUE((*got)[i].BitEquals(want[i]))
        << way.name << ", result " << i << ": got " << (*got)[i].ToString()
        << "\nwanted " << want[i].ToString() << "\n"
        << PrintGraph(*flow.graph);
  }
}

// Whether the results from `value` on and the gradients from `gradient` on
// agree; undecided if finite differences with two step sizes disagree, which
// indicates a nearby jump.
enum class Fit : uint8_t { kYes, kNo, kJump };
Fit Compare(const Differentiated& program, const Arrays& results, size_t value,
            size_t gradient, std::string& text) {
  auto at = [&](double step) {
    Result<Arrays> moved =
        Reference(*program.flow().graph, program.Moved(step));
    return moved.ok() ? *(*moved)[value].data<double>() : std::nan("");
  };
  auto slope = [&](double h) { return (at(h) - at(-h)) / (2 * h); };
  double fine = slope(1e-6), coarse = slope(3e-6);
  double got = program.Along(results, gradient);
  double size = 1 + std::abs(fine) + std::abs(*results[value].data<double>());
  if (!std::isfinite(fine) || !std::isfinite(coarse) ||
      std::abs(fine - coarse) > 1e-6 * size) {
    return Fit::kJump;
  }
  text = StrCat("got ", got, ", by differences ", fine, " and ", coarse);
  return std::abs(got - fine) <= 1e-5 * size ? Fit::kYes : Fit::kNo;
}

TEST(RandomGradient,
     OfStructuredGraphsAgreesOnEveryExecutorAndWithDifferences) {
  uint32_t compared = 0, flat = 0;
  for (uint32_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Differentiated program(InDoubles(MakeFlowOf({.state = false}, seed)));
    std::string before = PrintGraph(*program.flow().graph);
    Status made = program.Differentiate();
    ASSERT_TRUE(made.ok()) << made.ToString() << "\n" << before;
    const RandomFlow& flow = program.flow();
    Result<Arrays> want = Reference(*flow.graph, flow.args);
    ASSERT_TRUE(want.ok()) << want.status().ToString() << "\n" << before;
    ExpectSame(program, *want, kWays[seed % std::size(kWays)]);
    if (testing::Test::HasFailure()) break;
    for (size_t order : {0, 1}) {
      std::string text;
      Fit fit =
          Compare(program, *want, order, 2 + order * program.num_xs(), text);
      ASSERT_NE(fit, Fit::kNo) << "order " << order + 1 << ": " << text << "\n"
                               << before;
      compared += fit == Fit::kYes;
    }
    flat += program.Along(*want, 2) == 0;
  }
  // Most programs are smooth at the tested points, and depend on arguments.
  EXPECT_GE(compared, kPrograms * 2 * 8 / 10);
  EXPECT_LE(flat, kPrograms * 6 / 10);
}

// Gradients do not pass through variables, so finite differences do not apply.
TEST(RandomGradient, OfGraphsWithStateAgreesOnEveryExecutor) {
  for (uint32_t seed = 1; seed <= kPrograms / 2; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Differentiated program(InDoubles(MakeStructuredFlow(seed)));
    std::string before = PrintGraph(*program.flow().graph);
    Status made = program.Differentiate();
    ASSERT_TRUE(made.ok()) << made.ToString() << "\n" << before;
    const RandomFlow& flow = program.flow();
    Result<Arrays> want = Reference(*flow.graph, flow.args);
    ASSERT_TRUE(want.ok()) << want.status().ToString() << "\n" << before;
    ExpectSame(program, *want, kWays[seed % std::size(kWays)]);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace sluice
