#include "sluice/step/raw_graph_test_util.h"

#include "sluice/step/step_pool.h"

namespace sluice {

RawRun RunRaw(std::unique_ptr<Graph> graph, const std::vector<Array>& args,
              ExecutorChoice choice, WorkerPool* pool) {
  RawRun run;
  PlanOptions options;
  options.executor = choice;
  Result<std::shared_ptr<const Plan>> plan =
      Plan::Build(std::move(graph), options);
  if (!plan.ok()) {
    run.status = plan.status();
    return run;
  }
  std::unique_ptr<Step> step = AcquireStep(**plan);
  StepRequest request;
  request.pool = pool;
  request.step_id = 1;
  step->Begin(request);
  for (size_t i = 0; i < args.size(); ++i) {
    step->Feed(static_cast<int>(i), args[i]);
  }
  step->RunUntilQuiet();
  run.waiting = step->WhyWaiting();
  run.status = step->Finish();
  run.results.assign(step->results().begin(), step->results().end());
  run.frames_left = step->frames_left();
  return run;
}

}  // namespace sluice
