// Several devices and tasks of one process.
#include <memory>

#include "benchmarks/bench.h"
#include "sluice/base/status.h"
#include "sluice/graph/text_parser.h"
#include "sluice/session/task_master.h"

namespace sluice::bench {
namespace {

// The count is in one task, what is added up in the other: in every iteration
// the predicate goes one way and the new value comes back.
const char* const kTaskLoop = R"(graph task_loop(%n: i64[]) -> (%s) {
  %zero = Const [value = 0 : i64[]]
  %one = Const [value = 0 : f32[]]
  %i, %y, %s = While(%zero, %one, %one) [dtypes = {i64, f32, f32}] {
    cond(%i: i64[], %y: f32[], %s: f32[]) {
      %c = Less(%i, %n) on "/job:t/task:0"
      yield %c
    }
    body(%i: i64[], %y: f32[], %s: f32[]) {
      %j = Add(%i, 1) on "/job:t/task:0"
      %z = Add(%y, 1) on "/job:t/task:1"
      %t = Add(%s, %z) on "/job:t/task:0"
      yield %j, %z, %t
    }
  }
})";

SL_BENCH(devices, task_loop,
         "a loop across two tasks, one message each way per iteration") {
  constexpr int64_t kTrips = 10'000;
  Result<std::unique_ptr<Graph>> parsed = ParseGraph(kTaskLoop);
  SL_CHECK(parsed.ok());
  Graph& graph = **parsed;
  StepQueue queue;
  LocalWorker first("/job:t/task:0", queue), second("/job:t/task:1", queue);
  TaskMaster master(graph, {&first, &second}, queue);
  auto run = [&] {
    auto got = master.Run(graph.root().results(),
                          {{graph.root().arg(0), Array::Scalar(kTrips)}}, {});
    SL_CHECK(got.ok() &&
             *(*got)[0].data<float>() > 0);  // rounded: far above 2^24
  };
  double seconds = Best(20 * report.rounds, {run})[0];
  report.Line("task_loop", kTrips / seconds, "iterations/s",
              {{"tasks", "2"}, {"threads", "1"}}, AtLeast(500'000));
}

}  // namespace
}  // namespace sluice::bench
