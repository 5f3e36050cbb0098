// What several CPU devices in one process cost: a loop and a straight graph
// whose values go from device to device, and what two of them gain.
#include <memory>

#include "benchmarks/bench.h"
#include "benchmarks/random_array.h"
#include "sluice/base/strings.h"
#include "sluice/device/devices.h"
#include "sluice/graph/text_parser.h"
#include "sluice/session/local_master.h"

namespace sluice::bench {
namespace {

// A graph that is fed and run as a session does it, all results fetched.
class Placed {
 public:
  Placed(const std::string& text, int threads,
         ExecutorChoice executor = ExecutorChoice::kAuto)
      : pool_(threads) {
    SL_CHECK(Devices::AddCpus(4).ok());
    graph_ = ParseGraph(text).value();
    MasterOptions options;
    options.pool = &pool_;
    master_ = std::make_unique<LocalMaster>(*graph_, options);
    std::vector<Value> args;
    for (int i = 0; i < graph_->root().num_args(); ++i) {
      args.push_back(graph_->root().arg(i));
    }
    program_ = master_->ProgramFor(args, graph_->root().results(), {}, executor)
                   .value();
  }

  void Run(std::vector<Array> feeds) {
    ArrayList results;
    Status status =
        master_->RunProgram(*program_, feeds, &results, {}, nullptr);
    SL_CHECK(status.ok());
  }

  // A run of each node by itself, traced: later plans know what nodes take.
  void Measure(std::vector<Array> feeds) {
    RunOptions options;
    options.trace = true;
    RunMetadata metadata;
    std::vector<Value> args;
    for (int i = 0; i < graph_->root().num_args(); ++i) {
      args.push_back(graph_->root().arg(i));
    }
    auto program = master_->ProgramFor(args, graph_->root().results(), {},
                                       ExecutorChoice::kTokens);
    ArrayList results;
    SL_CHECK(program.ok() &&
             master_->RunProgram(**program, feeds, &results, options, &metadata)
                 .ok());
  }
  // What the plan says of its loop, if it runs in parallel.
  std::string WhyParallel(const std::vector<Array>& feeds) {
    std::string plan = program_->PlanFor(feeds).value()->Explain();
    size_t at = plan.find("iterations run in parallel");
    return at == plan.npos ? "one piece"
                           : plan.substr(at, plan.find('\n', at) - at);
  }

 private:
  WorkerPool pool_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<LocalMaster> master_;
  std::shared_ptr<Program> program_;
};

// The value goes from one device to the other and back in every iteration.
const char* const kThereAndBack = R"(graph loop(%n: f32[]) -> (%x) {
  %zero = Const [value = 0 : f32[]] on "/device:cpu:0"
  %x = While(%zero) [dtypes = {f32}] on "/device:cpu:0" {
    cond(%x: f32[]) {
      %c = Less(%x, %n) on "/device:cpu:0"
      yield %c
    }
    body(%x: f32[]) {
      %y = Add(%x, 0.5) on "/device:cpu:1"
      %z = Add(%y, 0.5) on "/device:cpu:0"
      yield %z
    }
  }
})";

// The same with a count beside it.
const char* const kCounted = R"(graph loop(%n: f32[]) -> (%x) {
  %zero = Const [value = 0 : f32[]] on "/device:cpu:0"
  %i, %x = While(%zero, %zero) [dtypes = {f32, f32}] on "/device:cpu:0" {
    cond(%i: f32[], %x: f32[]) {
      %c = Less(%i, %n) on "/device:cpu:0"
      yield %c
    }
    body(%i: f32[], %x: f32[]) {
      %j = Add(%i, 1) on "/device:cpu:0"
      %y = Add(%x, 1) on "/device:cpu:1"
      %z = Mul(%y, 0.5) on "/device:cpu:0"
      yield %j, %z
    }
  }
})";

// The same with more elements than are computed together over devices
// (graph/small_math.h): they are handed from device to device.
const char* const kHandedOver =
    R"(graph loop(%n: f32[], %x0: f32[128]) -> (%x) {
  %zero = Const [value = 0 : f32[]] on "/device:cpu:0"
  %i, %x = While(%zero, %x0) [dtypes = {f32, f32}] on "/device:cpu:0" {
    cond(%i: f32[], %x: f32[128]) {
      %c = Less(%i, %n) on "/device:cpu:0"
      yield %c
    }
    body(%i: f32[], %x: f32[128]) {
      %j = Add(%i, 1) on "/device:cpu:0"
      %y = Add(%x, 1) on "/device:cpu:1"
      %z = Mul(%y, 0.5) on "/device:cpu:0"
      yield %j, %z
    }
  }
})";

std::string OnOneDevice(std::string text) {
  for (size_t at; (at = text.find("cpu:1")) != std::string::npos;) {
    text.replace(at, 5, "cpu:0");
  }
  return text;
}

SL_BENCH(devices, device_loop,
         "a loop across two CPU devices, a scalar each way per iteration") {
  // So short that a run fits between two turns of other programs.
  constexpr float kTrips = 2'000;
  for (const char* text : {kThereAndBack, kCounted, kHandedOver}) {
    Placed two(text, 1);
    Placed one(OnOneDevice(text), 1, ExecutorChoice::kTokens);
    std::vector<Array> feeds = {Array::Scalar(kTrips)};
    if (text == kHandedOver) feeds.push_back(Array::Zeros(DType::kF32, {128}));
    auto best = Best(300 * report.rounds,
                     {[&] { two.Run(feeds); }, [&] { one.Run(feeds); }});
    bool first = text == kThereAndBack;
    report.Line("device_loop", kTrips / best[0], "iterations/s",
                {{"devices", "2"},
                 {"threads", "1"},
                 {"carried", first ? "1" : "2"},
                 {"elements", text == kHandedOver ? "128" : "1"},
                 {"one_device_tokens", StrCat(kTrips / best[1])}},
                first ? AtLeast(2'000'000) : Bar());
  }
}

// A chain of ops on f32[n,n], `stretch` of them on one of four devices and then
// the next.
std::string Chain(int nodes, int stretch, int64_t n,
                  const std::vector<std::string>& ops) {
  std::string type = StrCat("f32[", n, ",", n, "]");
  std::string text = StrCat("graph chain(%x0: ", type, ", %c: ", type,
                            ") -> (%x", nodes, ") {\n");
  for (int i = 0; i < nodes; ++i) {
    const std::string& op = ops[static_cast<size_t>(i) % ops.size()];
    StrAppend(text, "  %x", i + 1, " = ", op, "(%x", i,
              op == "Tanh" ? "" : ", %c",
              ") on \"/device:cpu:", stretch ? i / stretch % 4 : 0, "\"\n");
  }
  return text + "}";
}

// One device makes of the chain a single compiled piece, four of them a piece
// for each stretch; math on few elements, which takes less time than passing
// them on, is one piece over all four.
SL_BENCH(devices, multi_device_node,
         "a node of a chain over four CPU devices against one") {
  constexpr int kNodes = 4096, kStretch = 16;
  struct Case {
    const char* name;
    int64_t n;
    std::vector<std::string> ops;
    Bar bar;
  };
  for (const Case& c :
       {Case{"scalars", 1, {"Add", "Mul", "Sub", "Maximum"}, AtMost(1.3)},
        Case{"elementwise", 8, {"Add", "Mul", "Sub", "Maximum"}, AtMost(1.3)},
        Case{"layers", 16, {"MatMul", "Add", "Tanh"}, AtMost(1.3)}}) {
    Placed one(Chain(kNodes, 0, c.n, c.ops), 1);
    Placed four(Chain(kNodes, kStretch, c.n, c.ops), 1);
    std::vector<Array> feeds = {RandomFloats({c.n, c.n}, .3f, 1),
                                RandomFloats({c.n, c.n}, .3f, 2)};
    auto best = Best(10 * report.rounds,
                     {[&] { one.Run(feeds); }, [&] { four.Run(feeds); }});
    report.Line("multi_device_node", best[1] / best[0], "ratio",
                {{"graph", c.name},
                 {"nodes", StrCat(kNodes)},
                 {"stretch", StrCat(kStretch)},
                 {"type", StrCat("f32[", c.n, ",", c.n, "]")},
                 {"one_device_ns", StrCat(best[0] / kNodes * 1e9)},
                 {"crossing_ns",
                  StrCat((best[1] - best[0]) / kNodes * kStretch * 1e9)}},
                c.bar);
  }
}

// A loop whose iterations have nothing but a count to wait for, of work that
// one thread does: by tokens its iterations run in parallel.
const char* const kApart = R"(graph loop(%n: f32[], %w: f32[4096]) -> (%x) {
  %zero = Const [value = 0 : f32[]]
  %i, %x = While(%zero, %w) [dtypes = {f32, f32}] {
    cond(%i: f32[], %x: f32[4096]) { %c = Less(%i, %n) yield %c }
    body(%i: f32[], %x: f32[4096]) {
      %j = Add(%i, 1)
      %a = Mul(%w, %i)
      %b = Sort(%a)
      %z = Maximum(%x, %b)
      yield %j, %z
    }
  }
})";

SL_BENCH(devices, parallel_loop,
         "iterations of a loop without asynchronous ops on two threads") {
  constexpr float kTrips = 200;
  std::vector<Array> feeds = {Array::Scalar(kTrips),
                              RandomFloats({4096}, 1, 5)};
  Placed chosen(kApart, 2), piece(kApart, 2, ExecutorChoice::kTape);
  chosen.Measure(feeds);
  auto best = Best(5 * report.rounds,
                   {[&] { chosen.Run(feeds); }, [&] { piece.Run(feeds); }});
  report.Line("parallel_loop", best[1] / best[0], "ratio",
              {{"threads", "2"},
               {"iteration_us", StrCat(best[1] / kTrips * 1e6)},
               {"plan", chosen.WhyParallel(feeds)}});
}

// Two chains of products that have nothing to do with each other.
std::string Branches(int nodes) {
  std::string text =
      "graph branches(%a0: f32[192,192], %b0: f32[192,192], %w: f32[192,192])"
      " -> (%a";
  StrAppend(text, nodes, ", %b", nodes, ") {\n");
  for (int i = 0; i < nodes; ++i) {
    StrAppend(text, "  %a", i + 1, " = MatMul(%a", i,
              ", %w) on \"/device:cpu:0\"\n");
    StrAppend(text, "  %b", i + 1, " = MatMul(%b", i,
              ", %w) on \"/device:cpu:1\"\n");
  }
  return text + "}";
}

SL_BENCH(devices, two_branches,
         "two halves of a graph on two CPU devices and two threads") {
  constexpr int kNodes = 40;
  std::vector<Array> feeds;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    feeds.push_back(RandomFloats({192, 192}, 0.1f, seed));
  }
  Placed alone(Branches(kNodes), 1), both(Branches(kNodes), 2);
  auto best = Best(5 * report.rounds,
                   {[&] { alone.Run(feeds); }, [&] { both.Run(feeds); }});
  report.Line("two_branches", best[0] / best[1], "ratio",
              {{"devices", "2"},
               {"one_thread_ms", StrCat(best[0] * 1e3)},
               {"two_threads_ms", StrCat(best[1] * 1e3)}});
}

}  // namespace
}  // namespace sluice::bench
