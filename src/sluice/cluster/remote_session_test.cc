// Steps over real processes give the same results as one process, bit for bit.
#include "sluice/cluster/remote_session.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/cluster_test_util.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/text_printer.h"
#include "sluice/reference/reference_interpreter.h"
#include "sluice/session/split_test_util.h"
#include "sluice/step/executor_test_util.h"
#include "sluice/step/random_gradient_test_util.h"

namespace sluice::cluster {
namespace {

using Results = Result<std::vector<Array>>;

// The counter is on one task, the sum of its roots on the other.
const char* const kLoop = R"(graph g(%n: i64[], %x: f32[]) -> (%i, %y, %s) {
    %zero = Const [value = 0 : i64[]]
    %i, %y, %s = While(%zero, %x, %x) [dtypes = {i64, f32, f32}] {
      cond(%i: i64[], %y: f32[], %s: f32[]) {
        %c = NotEqual(%i, %n) on "/job:worker/task:0"
        yield %c
      }
      body(%i: i64[], %y: f32[], %s: f32[]) {
        %j = Add(%i, 1) on "/job:worker/task:0"
        %z = Add(%y, 1) on "/job:worker/task:1"
        %t = Add(%s, %z) on "/job:worker/task:0"
        yield %j, %z, %t
      }
    }
  })";

std::vector<Array> LoopArgs(int64_t n) {
  return {Array::Scalar(n), Array::Scalar(0.0f)};
}

TEST(RemoteSession, ALoopOverTwoProcessesGivesWhatOneGives) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  for (int master : {0, 1}) {
    Client client(kLoop, *cluster, master);
    for (int64_t n : {0, 1, 2, 30, 1000}) {
      Results got = client.Run(LoopArgs(n));
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      EXPECT_EQ(*(*got)[0].data<int64_t>(), n);
      EXPECT_EQ(*(*got)[1].data<float>(), static_cast<float>(n));
      EXPECT_EQ(*(*got)[2].data<float>(), static_cast<float>(n * (n + 1) / 2));
    }
    EXPECT_EQ(GaugeOf(*cluster, 1, "worker_pieces"), 1);
    EXPECT_EQ(GaugeOf(*cluster, master, "master_prepared"), 1);
  }
  ExpectNothingLeft(*cluster, {0, 1});
}

// Once it returned before the other tasks had been told, and removed state that
// a later session had made there.
TEST(RemoteSession, ResetIsOverWhenItReturns) {
  auto cluster = StartCluster(3);
  ASSERT_TRUE(cluster);
  const char* const kAssign = R"(graph g(%x: f32[]) -> (%r) {
    %v = Variable [shape = [], dtype = f32, shared_name = "kept"]
        on "/job:worker/task:2"
    %a = Assign(%v, %x) on "/job:worker/task:2"
    %r = ReadVariable(%v) [dtype = f32] after %a on "/job:worker/task:2"
  })";
  const char* const kRead = R"(graph g() -> (%r) {
    %v = Variable [shape = [], dtype = f32, shared_name = "kept"]
        on "/job:worker/task:2"
    %r = ReadVariable(%v) [dtype = f32] on "/job:worker/task:2"
  })";
  Client assign(kAssign, *cluster, 2), read(kRead, *cluster, 2);
  Client other(kRead, *cluster, 0);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(other.master()->Reset("").ok());
    ASSERT_TRUE(assign.Run({Array::Scalar(static_cast<float>(i))}).ok());
    Results got = read.Run({});
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(*(*got)[0].data<float>(), static_cast<float>(i));
  }
}

TEST(RemoteSession, TasksCountWhatTheyDid) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  Client client(kLoop, *cluster);
  ASSERT_TRUE(client.Run(LoopArgs(5)).ok());
  for (int task : {0, 1}) {
    EXPECT_EQ(GaugeOf(*cluster, task, "runs_total"), 1);
    EXPECT_EQ(GaugeOf(*cluster, task, "failed_runs_total"), 0);
    EXPECT_GT(GaugeOf(*cluster, task, "run_nanoseconds_total"), 0);
    EXPECT_GT(GaugeOf(*cluster, task, "waited_nanoseconds_total"), 0);
    EXPECT_GE(GaugeOf(*cluster, task, "received_tensors_total"), 5);
  }
  EXPECT_EQ(GaugeOf(*cluster, 0, "sent_tensors_total"),
            GaugeOf(*cluster, 1, "received_tensors_total"));
  EXPECT_EQ(GaugeOf(*cluster, 0, "sent_bytes_total"),
            GaugeOf(*cluster, 1, "received_bytes_total"));
}

TEST(RemoteSession, ATraceShowsAllTasksOnOneClock) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  for (int master : {0, 1}) {
    Client client(kLoop, *cluster, master);
    RunOptions options;
    options.trace = true;
    RunMetadata metadata;
    const int64_t start = NowNanos();
    ASSERT_TRUE(client.Run(LoopArgs(3), options, &metadata).ok());
    const auto took = static_cast<double>(NowNanos() - start);
    std::map<std::string, int> rows;
    for (const StepStats::Row& row : metadata.rows) {
      // The tasks' clocks have different origins; the error of their alignment
      // cannot exceed the duration of the step.
      EXPECT_GE(row.start_ns, -took) << row.name;
      EXPECT_LE(row.start_ns, took) << row.name;
      ++rows[row.device];
    }
    for (const char* device : {"/job:worker/task:0/device:cpu:0",
                               "/job:worker/task:1/device:cpu:0"}) {
      EXPECT_GE(rows[device], 3) << device;
      EXPECT_NE(metadata.chrome_trace.find(StrCat('"', device, '"')),
                std::string::npos)
          << metadata.chrome_trace;
    }
    // Nothing is recorded unless requested.
    RunMetadata none;
    ASSERT_TRUE(client.Run(LoopArgs(3), {}, &none).ok());
    EXPECT_TRUE(none.rows.empty());
  }
  ExpectNothingLeft(*cluster, {0, 1});
}

TEST(RemoteSession, AnyNumberOfStepsAtOnce) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  Client client(kLoop, *cluster);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t n = t; n < 100; n += 7) {
        Results got = client.Run(LoopArgs(n));
        ASSERT_TRUE(got.ok()) << got.status().ToString();
        EXPECT_EQ(*(*got)[1].data<float>(), static_cast<float>(n));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  client.Close();
  ExpectNothingLeft(*cluster, {0, 1});
}

// ---- Random programs ----

// Assigns nodes to random tasks.
void PlaceAtRandom(Graph& graph, int tasks, uint32_t seed) {
  RandomTasks random(graph, tasks, seed);
  SplitOptions options = random.options();
  BatchEdit edit(graph);
  std::function<void(Region&)> visit = [&](Region& region) {
    for (Node* node : region.nodes()) {
      std::string device = options.device_of(*node);
      Replace(device, "/job:t/", "/job:worker/");
      edit.SetDevice(*node, device);
      for (const auto& inner : node->regions()) visit(*inner);
    }
  };
  visit(graph.root());
}

Results Reference(const RandomFlow& flow) {
  ResourceManager resources;
  StepContext step;
  step.step_id = 1;
  step.resources = &resources;
  return Interpret(*flow.graph, flow.args, step);
}

// One cluster serves many programs, each in its own session.
template <class Make>
void Fuzz(Make make, uint32_t programs) {
  for (int tasks : {1, 2, 3, 4}) {
    auto cluster = StartCluster(tasks);
    ASSERT_TRUE(cluster);
    std::vector<int> all;
    for (int i = 0; i < tasks; ++i) all.push_back(i);
    for (uint32_t k = 0; k < programs; ++k) {
      uint32_t seed = k * 4 + static_cast<uint32_t>(tasks);
      SCOPED_TRACE(StrCat("seed ", seed, " over ", tasks, " processes"));
      RandomFlow flow = make(seed);
      Results want = Reference(flow);
      ASSERT_TRUE(want.ok()) << want.status().ToString();
      SetParallel(*flow.graph, seed % 4 == 0 ? 1 : 1 + seed % 8);
      PlaceAtRandom(*flow.graph, tasks, seed);
      Client client(*flow.graph, *cluster, static_cast<int>(seed) % tasks);
      RunOptions options;
      options.executor =
          seed % 3 == 0 ? ExecutorChoice::kTokens : ExecutorChoice::kAuto;
      options.random = RandomState{0, 1};
      Results got = client.Run(flow.args, options);
      ASSERT_TRUE(got.ok()) << got.status().ToString() << "\n"
                            << PrintGraph(*flow.graph);
      for (size_t i = 0; i < want->size(); ++i) {
        ASSERT_TRUE((*got)[i].BitEquals((*want)[i]))
            << "result " << i << ": got " << (*got)[i].ToString() << "\nwanted "
            << (*want)[i].ToString() << "\n"
            << PrintGraph(*flow.graph);
      }
      // State belongs to the tasks and would be visible to the next program.
      ASSERT_TRUE(client.master()->Reset("").ok());
      client.Close();
      if (k % 10 == 9) ExpectNothingLeft(*cluster, all);
    }
    ExpectNothingLeft(*cluster, all);
  }
}

constexpr uint32_t kPrograms = SL_TSAN || SL_ASAN ? 10 : 60;
constexpr uint32_t kGradients = SL_TSAN || SL_ASAN ? 3 : 15;

TEST(RemoteSession, RandomProgramsGiveWhatOneProcessGives) {
  Fuzz([](uint32_t seed) { return MakeStructuredFlow(seed + 700'000); },
       kPrograms);
}

TEST(RemoteSession, RandomGradientsOfBothOrdersGiveWhatOneProcessGives) {
  Fuzz(
      [](uint32_t seed) {
        Differentiated program(InDoubles(MakeFlowOf(
            {.state = seed % 3 == 0, .calls = seed % 4 == 0}, seed + 9000)));
        Status made = program.Differentiate();
        EXPECT_TRUE(made.ok()) << made.ToString();
        return std::move(program).Take();
      },
      kGradients);
}

// ---- Tensors ----

const char* const kThere = R"(graph g(%x: f32[?]) -> (%y) {
    %a = Neg(%x) on "/job:worker/task:0"
    %b = Neg(%a) on "/job:worker/task:1"
    %y = Add(%b, 1) on "/job:worker/task:0"
  })";

Array Ramp(int64_t n) {
  Array array = *Array::Make(DType::kF32, *Shape::Make({&n, 1}));
  for (int64_t i = 0; i < n; ++i) {
    array.mutable_data<float>()[i] = static_cast<float>(i % 1000);
  }
  return array;
}

void ThereAndBack(const LocalCluster& cluster) {
  Client client(kThere, cluster);
  // Around the sizes at which tensors are offered and split into parts.
  for (int64_t n : {0, 1, 16'384, 16'385, 1 << 20, (1 << 20) + 1, 5'000'001}) {
    Array x = Ramp(n);
    Results got = client.Run({x});
    ASSERT_TRUE(got.ok()) << n << ": " << got.status().ToString();
    Array y = *x.Clone();
    for (int64_t i = 0; i < n; ++i) y.mutable_data<float>()[i] += 1;
    EXPECT_TRUE((*got)[0].BitEquals(y)) << n;
  }
  client.Close();
  ExpectNothingLeft(cluster, {0, 1});
}

TEST(RemoteSession, LargeTensorsAreReadFromTheOtherProcess) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  ThereAndBack(*cluster);
  for (int task : {0, 1}) {
    int64_t shared = GaugeOf(*cluster, task, "shared_bytes_total");
    int64_t fetched = GaugeOf(*cluster, task, "fetched_bytes_total");
    EXPECT_GT(shared + fetched, 28'000'000);
    EXPECT_EQ(GaugeOf(*cluster, task, "copied_to_send_bytes_total"), 0);
  }
}

TEST(RemoteSession, LargeTensorsGoByPartsWhereMemoryIsNotShared) {
  setenv("SLUICE_SHARED_MEMORY", "0", 1);
  auto cluster = StartCluster(2);
  unsetenv("SLUICE_SHARED_MEMORY");
  ASSERT_TRUE(cluster);
  ThereAndBack(*cluster);
  for (int task : {0, 1}) {
    EXPECT_EQ(GaugeOf(*cluster, task, "shared_bytes_total"), 0);
    EXPECT_GT(GaugeOf(*cluster, task, "fetched_bytes_total"), 28'000'000);
    EXPECT_EQ(GaugeOf(*cluster, task, "copied_to_send_bytes_total"), 0);
  }
}

TEST(RemoteSession, TextsAndListsCrossTasks) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  Client client(R"(graph g(%s: string[?]) -> (%t) {
    %a = Identity(%s) on "/job:worker/task:0"
    %t = Identity(%a) on "/job:worker/task:1"
  })",
                *cluster);
  Array texts =
      Array::Of<std::string>({3}, {"a", "", std::string(100000, 'x')});
  Results got = client.Run({texts});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_TRUE((*got)[0].BitEquals(texts));
}

// ---- State ----

const char* const kState = R"(graph g(%x: f32[]) -> (%v) run %a {
    %w = Variable [dtype = f32, shape = []] on "/job:worker/task:1"
    %y = Add(%x, 1)
    %a = Assign(%w, %y)
    %r = ReadVariable(%w) [dtype = f32, shape = []]
    %v = Neg(%r) on "/job:worker/task:0"
  })";

TEST(RemoteSession, StateStaysWithItsTaskAndIsSharedByName) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  Client one(kState, *cluster);
  Results got = one.Run({Array::Scalar(2.0f)});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(*(*got)[0].data<float>(), -3.0f);
  const char* const read = R"(graph g() -> (%r) {
    %w = Variable [dtype = f32, shape = []] on "/job:worker/task:1"
    %r = ReadVariable(%w) [dtype = f32, shape = []]
  })";
  // A client of another master sees it.
  Client two(read, *cluster, 1);
  got = two.Run({});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(*(*got)[0].data<float>(), 3.0f);
  one.Close();
  got = two.Run({});
  EXPECT_TRUE(got.ok()) << got.status().ToString();
  ASSERT_TRUE(two.master()->Reset("").ok());
}

// ---- Bad input ----

TEST(RemoteSession, ErrorsHaveTheOpTheIterationAndTheTask) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  Client client(R"(graph g(%n: i64[], %x: f32[?]) -> (%i, %y) {
    %zero = Const [value = 0 : i64[]]
    %i, %y = While(%zero, %x) [dtypes = {i64, f32}] {
      cond(%i: i64[], %y: f32[?]) {
        %c = NotEqual(%i, %n) on "/job:worker/task:0"
        yield %c
      }
      body(%i: i64[], %y: f32[?]) {
        %j = Add(%i, 1) on "/job:worker/task:0"
        %z = Slice(%y) [begin = {1}, size = {-1}] on "/job:worker/task:1"
        yield %j, %z
      }
    }
  })",
                *cluster);
  Results got =
      client.Run({Array::Scalar<int64_t>(9), Array::Vector<float>({1, 2, 3})});
  ASSERT_FALSE(got.ok());
  const std::string& text = got.status().message();
  EXPECT_NE(text.find("[Slice]"), text.npos) << text;
  EXPECT_NE(text.find("iteration 3"), text.npos) << text;
  EXPECT_NE(text.find("in task /job:worker/task:1"), text.npos) << text;
  EXPECT_EQ(text.find("task:0"), text.npos) << text;
  got =
      client.Run({Array::Scalar<int64_t>(2), Array::Vector<float>({1, 2, 3})});
  EXPECT_TRUE(got.ok()) << got.status().ToString();
  client.Close();
  ExpectNothingLeft(*cluster, {0, 1});
}

TEST(RemoteSession, BadTargetsAndTasksAreTold) {
  Graph graph;
  auto said = [&](const std::string& target) {
    auto made = RemoteSession::Connect(graph, target, 0);
    return made.ok() ? "" : made.status().message();
  };
  EXPECT_EQ(said("here"),
            "\"here\" names no master; wanted such as "
            "\"grpc://127.0.0.1:7070\"");
  EXPECT_NE(said("grpc://127.0.0.1:1").find("cannot be reached"),
            std::string::npos);
  EXPECT_NE(said("grpc://10.0.0.1:1").find("no TLS certificates"),
            std::string::npos);
  auto cluster = StartCluster(1);
  ASSERT_TRUE(cluster);
  Client client(kThere, *cluster);
  EXPECT_EQ(client.Run({Ramp(3)}).status().message(),
            "there is no task /job:worker/task:1 in this cluster; there are "
            "/job:worker/task:0");
  Client handle(R"(graph g() -> (%w) {
    %w = Variable [dtype = f32, shape = []]
  })",
                *cluster);
  EXPECT_NE(handle.Run({}).status().message().find("cannot leave its task"),
            std::string::npos);
}

TEST(RemoteSession, DeadlinesAndSwitchesEndAStepInAllTasks) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  Client client(kLoop, *cluster);
  RunOptions options;
  options.timeout_ms = 30;
  Results got = client.Run(LoopArgs(-1), options);
  EXPECT_EQ(got.status().code(), Code::kDeadlineExceeded)
      << got.status().ToString();
  options = {};
  options.cancellation = std::make_shared<Cancellation>();
  std::thread other([&] {
    WaitForGauge(*cluster, 1, "worker_running", 1);
    options.cancellation->Cancel(Cancelled("enough"));
  });
  got = client.Run(LoopArgs(-1), options);
  other.join();
  EXPECT_EQ(got.status().message(), "enough");
  EXPECT_TRUE(client.Run(LoopArgs(3)).ok());
  client.Close();
  ExpectNothingLeft(*cluster, {0, 1});
}

TEST(RemoteSession, ACloseFromAnotherThreadEndsWhatRuns) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  Client client(kLoop, *cluster);
  std::thread other([&] {
    WaitForGauge(*cluster, 1, "worker_running", 1);
    client.master()->Close();
  });
  Results got = client.Run(LoopArgs(-1));
  other.join();
  EXPECT_FALSE(got.ok());
  ExpectNothingLeft(*cluster, {0, 1});
}

}  // namespace
}  // namespace sluice::cluster
