// Random graphs with control flow must mean the same on every executor, with
// any bound on parallel iterations and any number of threads.
#include <gtest/gtest.h>

#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"
#include "sluice/passes/pipeline.h"
#include "sluice/passes/prune.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/random_flow_test_util.h"
#include "sluice/step/step.h"

namespace sluice {
namespace {

// A sanitizer slows each program down tenfold.
constexpr int kPrograms = SL_TSAN || SL_ASAN ? 250 : 1200;

using Results = Result<std::vector<Array>>;

Results Reference(const RandomFlow& flow) {
  ResourceManager resources;
  StepContext step;
  step.step_id = 1;
  step.resources = &resources;
  return Interpret(*flow.graph, flow.args, step);
}

void ExpectSame(const Results& got, const std::vector<Array>& want,
                const std::string& how, const Graph& graph) {
  ASSERT_TRUE(got.ok()) << how << ": " << got.status().ToString() << "\n"
                        << PrintGraph(graph);
  ASSERT_EQ(got->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_TRUE((*got)[i]) << how << ", result " << i << " is missing\n"
                           << PrintGraph(graph);
    ASSERT_TRUE((*got)[i].BitEquals(want[i]))
        << how << ", result " << i << ": got " << (*got)[i].ToString()
        << "\nwanted " << want[i].ToString() << "\n"
        << PrintGraph(graph);
  }
}

struct Way {
  const char* name;
  ExecutorChoice executor;
  int64_t parallel;
  bool two_threads;
};

// Every seed uses one of these in turn, and always the first two.
constexpr Way kWays[] = {
    {"tape", ExecutorChoice::kTape, 10, false},
    {"tokens, 1 at once", ExecutorChoice::kTokens, 1, false},
    {"tokens, 4 at once", ExecutorChoice::kTokens, 4, false},
    {"tokens, 32 at once", ExecutorChoice::kTokens, 32, false},
    {"tokens, 1 at once, two threads", ExecutorChoice::kTokens, 1, true},
    {"tokens, 4 at once, two threads", ExecutorChoice::kTokens, 4, true},
    {"tokens, 32 at once, two threads", ExecutorChoice::kTokens, 32, true},
    {"auto, two threads", ExecutorChoice::kAuto, 10, true},
};
constexpr size_t kNumWays = std::size(kWays);

void TryWay(const RandomFlow& flow, const std::vector<Array>& want,
            const Way& way) {
  static auto* two_threads = new WorkerPool(2);
  SetParallel(*flow.graph, way.parallel);
  ResourceManager resources;
  ExpectSame(RunOnPlan(*flow.graph, flow.args, way.executor,
                       way.two_threads ? two_threads : nullptr, &resources),
             want, way.name, *flow.graph);
}

// The graph as text, as bytes, pruned and optimized has the same results.
void TryForms(const RandomFlow& flow, const std::vector<Array>& want) {
  std::string text = PrintGraph(*flow.graph);
  Result<std::unique_ptr<Graph>> parsed = ParseGraph(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString() << "\n" << text;
  EXPECT_EQ(PrintGraph(**parsed), text);
  Result<std::unique_ptr<Graph>> read = ReadBinary(WriteBinary(*flow.graph));
  ASSERT_TRUE(read.ok()) << read.status().ToString() << "\n" << text;
  EXPECT_EQ(PrintGraph(**read), text);

  const Region& root = flow.graph->root();
  std::vector<Value> feeds;
  for (int i = 0; i < root.num_args(); ++i) feeds.push_back(root.arg(i));
  Result<std::unique_ptr<Graph>> pruned =
      Prune(*flow.graph, feeds, root.results(), root.targets());
  ASSERT_TRUE(pruned.ok()) << pruned.status().ToString() << "\n" << text;
  Status whole = Verify(**pruned);
  ASSERT_TRUE(whole.ok()) << whole.ToString();
  RandomFlow part{std::move(*pruned), flow.args};
  ExpectSame(Reference(part), want, "pruned", *part.graph);
  PipelineOptions options;
  options.verify = true;
  Result<PassReport> report = RunPipeline(*part.graph, options);
  ASSERT_TRUE(report.ok()) << report.status().ToString() << "\n" << text;
  ExpectSame(Reference(part), want, "optimised", *part.graph);
}

// Makes graphs from many seeds, verifies them and runs them in every way.
template <class Make>
std::map<std::string, int> Fuzz(Make make, uint32_t seeds) {
  std::map<std::string, int> counts;
  for (uint32_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    RandomFlow flow = make(seed);
    CountOps(flow.graph->root(), counts);
    Status whole = Verify(*flow.graph);
    EXPECT_TRUE(whole.ok()) << whole.ToString();
    Results want = Reference(flow);
    EXPECT_TRUE(want.ok()) << want.status().ToString() << "\n"
                           << PrintGraph(*flow.graph);
    if (!want.ok()) break;
    if (seed % 4 == 0) TryForms(flow, *want);
    for (size_t i = 0; i < kNumWays; ++i) {
      if (i < 2 || i % (kNumWays - 2) == seed % (kNumWays - 2)) {
        TryWay(flow, *want, kWays[i]);
      }
    }
    if (testing::Test::HasFailure()) break;
  }
  return counts;
}

TEST(RandomFlow, StructuredGraphsAgreeOnEveryExecutor) {
  std::map<std::string, int> counts = Fuzz(MakeStructuredFlow, kPrograms);
  for (const char* op : {"If", "Case", "While", "Function", "Call", "Assign",
                         "AssignAdd", "ReadVariable", "RandomUniform",
                         "ListAppend", "ListPop", "ListStack"}) {
    EXPECT_GE(counts[op], kPrograms / 4) << op;
  }
}

TEST(RandomFlow, RawGraphsAgreeOnEveryExecutor) {
  std::map<std::string, int> counts = Fuzz(MakeRawFlow, kPrograms);
  for (const char* op :
       {"Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond",
        "ControlTrigger", "RandomUniform", "ListAppend"}) {
    EXPECT_GE(counts[op], kPrograms / 4) << op;
  }
}

}  // namespace
}  // namespace sluice
