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
  Placed(const std::string& text, int threads) : pool_(threads) {
    SL_CHECK(Devices::AddCpus(4).ok());
    graph_ = ParseGraph(text).value();
    MasterOptions options;
    options.pool = &pool_;
    master_ = std::make_unique<LocalMaster>(*graph_, options);
    std::vector<Value> args;
    for (int i = 0; i < graph_->root().num_args(); ++i) {
      args.push_back(graph_->root().arg(i));
    }
    program_ = master_
                   ->ProgramFor(args, graph_->root().results(), {},
                                ExecutorChoice::kAuto)
                   .value();
  }

  void Run(std::vector<Array> feeds) {
    ArrayList results;
    Status status =
        master_->RunProgram(*program_, feeds, &results, {}, nullptr);
    SL_CHECK(status.ok());
  }

 private:
  WorkerPool pool_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<LocalMaster> master_;
  std::shared_ptr<Program> program_;
};

// The value goes from one device to the other and back in every iteration.
const char* const kDeviceLoop = R"(graph device_loop(%n: i64[]) -> (%x) {
  %zero = Const [value = 0 : i64[]] on "/device:cpu:0"
  %start = Const [value = 0 : f32[]] on "/device:cpu:0"
  %i, %x = While(%zero, %start) [dtypes = {i64, f32}] on "/device:cpu:0" {
    cond(%i: i64[], %x: f32[]) {
      %c = Less(%i, %n) on "/device:cpu:0"
      yield %c
    }
    body(%i: i64[], %x: f32[]) {
      %j = Add(%i, 1) on "/device:cpu:0"
      %y = Add(%x, 1) on "/device:cpu:1"
      %z = Mul(%y, 0.5) on "/device:cpu:0"
      yield %j, %z
    }
  }
})";

SL_BENCH(devices, device_loop,
         "a loop across two CPU devices, a scalar each way per iteration") {
  constexpr int64_t kTrips = 20'000;
  Placed loop(kDeviceLoop, 1);
  double seconds =
      Best(20 * report.rounds, {[&] { loop.Run({Array::Scalar(kTrips)}); }})[0];
  report.Line("device_loop", kTrips / seconds, "iterations/s",
              {{"devices", "2"}, {"threads", "1"}}, AtLeast(2'000'000));
}

// A chain of ops, `stretch` of them on one of four devices and then the next.
std::string Chain(int nodes, int stretch, int64_t elements) {
  std::string text = StrCat("graph chain(%x0: f32[", elements, "], %c: f32[",
                            elements, "]) -> (%x", nodes, ") {\n");
  const char* const kOps[] = {"Add", "Mul", "Sub", "Maximum"};
  for (int i = 0; i < nodes; ++i) {
    StrAppend(text, "  %x", i + 1, " = ", kOps[i % 4], "(%x", i, ", %c) on \"",
              "/device:cpu:", stretch ? i / stretch % 4 : 0, "\"\n");
  }
  return text + "}";
}

SL_BENCH(devices, multi_device_node,
         "a node of a chain over four CPU devices against one") {
  constexpr int kNodes = 4096, kStretch = 16;
  for (int64_t elements : {1, 64, 1024}) {
    Placed one(Chain(kNodes, 0, elements), 1);
    Placed four(Chain(kNodes, kStretch, elements), 1);
    std::vector<Array> feeds = {RandomFloats({elements}, 1, 1),
                                RandomFloats({elements}, 1, 2)};
    auto best = Best(20 * report.rounds,
                     {[&] { one.Run(feeds); }, [&] { four.Run(feeds); }});
    report.Line("multi_device_node", best[1] / best[0], "ratio",
                {{"nodes", StrCat(kNodes)},
                 {"stretch", StrCat(kStretch)},
                 {"elements", StrCat(elements)},
                 {"one_ns", StrCat(best[0] / kNodes * 1e9)},
                 {"four_ns", StrCat(best[1] / kNodes * 1e9)}},
                AtMost(1.3));
  }
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
