#include "sluice/step/executor_test_util.h"

#include <gtest/gtest.h>

#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/step/step_pool.h"

namespace sluice {

namespace {

Result<std::vector<Array>> RunOnOptions(const Graph& graph,
                                        const std::vector<Array>& args,
                                        const PlanOptions& options,
                                        WorkerPool* pool, StepStats* stats) {
  SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                      Plan::Build(graph.Clone(), options));
  std::unique_ptr<Step> step = AcquireStep(*plan);
  StepRequest request;
  request.pool = pool;
  request.resources = options.resources;
  request.step_id = 1;
  request.stats = stats;
  step->Begin(request);
  for (size_t i = 0; i < args.size(); ++i) {
    step->Feed(static_cast<int>(i), args[i]);
  }
  step->RunUntilQuiet();
  SL_RETURN_IF_ERROR(step->Finish());
  for (size_t i = 0; i < step->results().size(); ++i) {
    if (!step->results()[i]) return step->MissingResult(i);
  }
  return std::vector<Array>(step->results().begin(), step->results().end());
}

}  // namespace

Result<std::vector<Array>> RunOnPlan(const Graph& graph,
                                     const std::vector<Array>& args,
                                     ExecutorChoice choice, WorkerPool* pool,
                                     ResourceManager* resources,
                                     StepStats* stats) {
  PlanOptions options;
  options.executor = choice;
  options.resources = resources;
  return RunOnOptions(graph, args, options, pool, stats);
}

std::vector<Array> ExpectAllAgree(const Graph& graph,
                                  const std::vector<Array>& args) {
  static auto* two_threads = new WorkerPool(2);
  StepContext context;
  context.step_id = 1;
  Result<std::vector<Array>> want = Interpret(graph, args, context);
  EXPECT_TRUE(want.ok()) << want.status().ToString() << "\n"
                         << PrintGraph(graph);
  if (!want.ok()) return {};
  struct Case {
    const char* name;
    ExecutorChoice executor;
    bool fuse;
    WorkerPool* pool;
  };
  const Case cases[] = {
      {"tokens", ExecutorChoice::kTokens, true, nullptr},
      {"tokens, two threads", ExecutorChoice::kTokens, true, two_threads},
      {"tape", ExecutorChoice::kTape, true, nullptr},
      {"tape without fusion", ExecutorChoice::kTape, false, nullptr},
      {"auto, two threads", ExecutorChoice::kAuto, true, two_threads},
  };
  for (const Case& c : cases) {
    PlanOptions options;
    options.executor = c.executor;
    options.fuse = c.fuse;
    Result<std::vector<Array>> got =
        RunOnOptions(graph, args, options, c.pool, nullptr);
    EXPECT_TRUE(got.ok()) << c.name << ": " << got.status().ToString();
    if (!got.ok()) continue;
    for (size_t i = 0; i < want->size(); ++i) {
      EXPECT_TRUE((*got)[i].BitEquals((*want)[i]))
          << c.name << ", result " << i << ": got " << (*got)[i].ToString()
          << "\nwanted " << (*want)[i].ToString() << "\n"
          << PrintGraph(graph);
    }
  }
  return *want;
}

std::unique_ptr<Graph> MustParse(const std::string& text) {
  Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << graph.status().ToString();
  SL_CHECK(graph.ok());
  return std::move(graph).value();
}

}  // namespace sluice
