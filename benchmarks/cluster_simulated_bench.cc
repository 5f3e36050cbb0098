// Steps of more tasks than there are machines, in virtual time: what messages
// cost is measured between real processes of this machine in the same run.
#include "benchmarks/bench.h"
#include "benchmarks/cluster_client.h"
#include "benchmarks/simulated_step.h"

namespace sluice::bench {
namespace {

// Seconds of an iteration of the loop of cluster_loop.
double IterationSeconds(Report& report, int parallel, int tasks) {
  constexpr int64_t kTrips = 2000;
  auto cluster = Start(2);
  Client client(*cluster, LoopText(parallel, tasks));
  auto run = [&] { ValueOrThrow(client.Run({Array::Scalar(kTrips)})); };
  run();
  return Best(report.rounds, {run})[0] / kTrips;
}

// In turns, an iteration waits for four ops and for a message each way; with
// many at a time, for what one task does: three ops, a message out and one in.
StepCosts Measure(Report& report) {
  StepCosts costs;
  costs.op = IterationSeconds(report, 1, 1) / 4;
  const double turns = IterationSeconds(report, 1, 2);
  const double many = IterationSeconds(report, 32, 2);
  const double both = std::max(0.0, many - 3 * costs.op);
  costs.send = costs.receive = both / 2;
  costs.latency = std::max(0.0, (turns - 4 * costs.op - 2 * both) / 2);
  return costs;
}

// Every task has a number that it counts up; the first one counts the rounds.
// `sum`: and adds them all up in each.
std::string CountText(int tasks, bool sum) {
  std::string types = "i64", names = "%i", args = "%i: i64[]", inits = "%zero",
              body, yield = "%j";
  for (int t = 1; t < tasks; ++t) {
    StrAppend(types, ", f32");
    StrAppend(names, ", %y", t);
    StrAppend(args, ", %y", t, ": f32[]");
    StrAppend(inits, ", %one");
    StrAppend(body, "      %z", t, " = Add(%y", t, ", 1) on ", Task(t), "\n");
    StrAppend(yield, ", %z", t);
  }
  if (sum) {
    StrAppend(types, ", f32");
    StrAppend(names, ", %s");
    StrAppend(args, ", %s: f32[]");
    StrAppend(inits, ", %one");
    std::string all = "%s";
    for (int t = 1; t < tasks; ++t) {
      StrAppend(body, "      %t", t, " = Add(", all, ", %z", t, ") on ",
                Task(0), "\n");
      all = StrCat("%t", t);
    }
    StrAppend(yield, ", ", all);
  }
  return StrCat("graph g(%n: i64[]) -> (%i) {\n",
                "  %zero = Const [value = 0 : i64[]]\n",
                "  %one = Const [value = 0 : f32[]]\n  ", names, " = While(",
                inits, ") [dtypes = {", types, "}] {\n    cond(", args,
                ") {\n      %c = NotEqual(%i, %n) on ", Task(0),
                "\n      yield %c\n    }\n    body(", args,
                ") {\n      %j = Add(%i, 1) on ", Task(0), "\n", body,
                "      yield ", yield, "\n    }\n  }\n}");
}

void Simulated(Report& report, int tasks, bool sum, const StepCosts& costs) {
  constexpr int64_t kTrips = 100;
  std::unique_ptr<Graph> graph =
      ValueOrThrow(ParseGraph(CountText(tasks, sum)));
  std::vector<TaskPiece> pieces = ValueOrThrow(SplitByTask(*graph));
  const SimulatedStep step = SimulateStep(pieces, kTrips, costs);
  double others = 0;
  for (size_t p = 1; p < step.busy.size(); ++p) {
    others = std::max(others, step.busy[p]);
  }
  const double iteration = step.loop / kTrips;
  const double messages = static_cast<double>(step.messages) / kTrips;
  const std::string name = StrCat("simulated_", tasks, sum ? "_sum" : "");
  report.Line(StrCat(name, "_iteration"), iteration * 1e6, "us",
              {{"step_ms", StrCat(step.seconds * 1e3)},
               {"messages_per_iteration", StrCat(messages)},
               {"busiest_other_task", StrCat(others / step.seconds)},
               {"send_us", StrCat(costs.send * 1e6)},
               {"latency_us", StrCat(costs.latency * 1e6)},
               {"op_us", StrCat(costs.op * 1e6)}});
  // What the first task cannot do in less: it tells every other one whether
  // to go on and, where there is a sum, hears from it.
  const double least =
      (tasks - 1) * (costs.send + (sum ? costs.receive + costs.op : 0.0));
  report.Line(StrCat(name, "_over_predicate"), iteration / least, "ratio",
              {{"tasks", std::to_string(tasks)}},
              tasks >= 64 ? AtMost(1.25) : Bar{});
}

SL_BENCH(cluster, simulated, "loops over 64 and 1,000 tasks in virtual time") {
  const StepCosts costs = Measure(report);
  for (int tasks : {2, 64, 1000}) {
    Simulated(report, tasks, false, costs);
    Simulated(report, tasks, true, costs);
  }
}

}  // namespace
}  // namespace sluice::bench
