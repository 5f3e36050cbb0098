// Random programs over random tasks must give the bits of one task, whatever
// the order in which messages arrive.
#include <gtest/gtest.h>

#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/session/split_test_util.h"
#include "sluice/step/random_gradient_test_util.h"

namespace sluice {
namespace {

constexpr uint32_t kPrograms = SL_TSAN || SL_ASAN ? 200 : 1500;
constexpr uint32_t kGradients = SL_TSAN || SL_ASAN ? 40 : 300;

using Results = Result<std::vector<Array>>;

Results Reference(const RandomFlow& flow) {
  ResourceManager resources;
  StepContext step;
  step.step_id = 1;
  step.resources = &resources;
  return Interpret(*flow.graph, flow.args, step);
}

// The configuration of each seed's run, besides the order of its messages.
SplitRun WayOf(uint32_t seed) {
  SplitRun run;
  run.seed = seed;
  run.executor =
      seed % 3 == 0 ? ExecutorChoice::kTokens : ExecutorChoice::kAuto;
  run.threads = seed % 5 == 0;
  run.optimize = seed % 2 == 0;
  if (seed % 7 == 0) run.mailboxes.max_waiting_bytes = 0;
  return run;
}

int64_t Try(const RandomFlow& flow, const std::vector<Array>& want,
            uint32_t seed) {
  SetParallel(*flow.graph, seed % 4 == 0 ? 1 : 1 + seed % 8);
  RandomTasks tasks(*flow.graph, 2 + static_cast<int>(seed % 3), seed);
  Result<std::vector<TaskPiece>> pieces =
      SplitByTask(*flow.graph, tasks.options());
  EXPECT_TRUE(pieces.ok()) << pieces.status().ToString();
  if (!pieces.ok()) return 0;
  std::string text = PrintGraph(*flow.graph);
  for (const TaskPiece& piece : *pieces) {
    StrAppend(text, "\n", piece.task, "\n", PrintGraph(*piece.graph));
  }
  int64_t messages = 0;
  SplitRun run = WayOf(seed);
  run.messages = &messages;
  Results got = RunPieces(std::move(*pieces), flow.args, want.size(), run);
  EXPECT_TRUE(got.ok()) << got.status().ToString() << "\n" << text;
  for (size_t i = 0; got.ok() && i < want.size(); ++i) {
    EXPECT_TRUE((*got)[i].BitEquals(want[i]))
        << "result " << i << ": got " << (*got)[i].ToString() << "\nwanted "
        << want[i].ToString() << "\n"
        << text;
  }
  return messages;
}

template <class Make>
int64_t Fuzz(Make make, uint32_t programs) {
  int64_t messages = 0;
  for (uint32_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    RandomFlow flow = make(seed);
    Results want = Reference(flow);
    EXPECT_TRUE(want.ok()) << want.status().ToString();
    if (!want.ok()) break;
    messages += Try(flow, *want, seed);
    if (testing::Test::HasFailure()) break;
  }
  return messages;
}

TEST(RandomSplit, StructuredGraphsGiveWhatOneTaskGives) {
  EXPECT_GE(Fuzz(MakeStructuredFlow, kPrograms), kPrograms * 20);
}

TEST(RandomSplit, GraphsWithoutStateAndCallsGiveWhatOneTaskGives) {
  auto make = [](uint32_t seed) {
    return MakeFlowOf({.state = false, .calls = false}, seed + 100'000);
  };
  EXPECT_GE(Fuzz(make, kPrograms), kPrograms * 20);
}

TEST(RandomSplit, RawGraphsInOneTaskGiveWhatTheyGave) {
  Fuzz(MakeRawFlow, kPrograms / 10);
}

TEST(RandomSplit, GradientsOfBothOrdersGiveWhatOneTaskGives) {
  auto make = [](uint32_t seed) {
    Differentiated program(InDoubles(
        MakeFlowOf({.state = seed % 3 == 0, .calls = seed % 4 == 0}, seed)));
    Status made = program.Differentiate();
    EXPECT_TRUE(made.ok()) << made.ToString();
    return std::move(program).Take();
  };
  EXPECT_GE(Fuzz(make, kGradients), kGradients * 20);
}

}  // namespace
}  // namespace sluice
