// Processes that die, hang, restart or repeat messages: the others soon report
// an error with a name, and nothing is left behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "sluice/base/clock.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/array_wire.h"
#include "sluice/cluster/cluster_test_util.h"
#include "sluice/cluster/frame.h"
#include "sluice/cluster/remote_session.h"
#include "sluice/cluster/waiting_for.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/step/executor_test_util.h"

namespace sluice::cluster {
namespace {

using Results = Result<std::vector<Array>>;

// A loop over three tasks; with n < 0 it is endless.
const char* const kLoop = R"(graph g(%n: i64[], %x: f32[]) -> (%i, %y) {
    %zero = Const [value = 0 : i64[]]
    %i, %y = While(%zero, %x) [dtypes = {i64, f32}] {
      cond(%i: i64[], %y: f32[]) {
        %c = NotEqual(%i, %n) on "/job:worker/task:0"
        yield %c
      }
      body(%i: i64[], %y: f32[]) {
        %j = Add(%i, 1) on "/job:worker/task:0"
        %z = Add(%y, 1) on "/job:worker/task:1"
        %u = Add(%z, 1) on "/job:worker/task:2"
        yield %j, %u
      }
    }
  })";

std::vector<Array> Args(int64_t n) {
  return {Array::Scalar(n), Array::Scalar(0.0f)};
}

void ExpectNames(const Status& status, const std::string& what) {
  EXPECT_NE(status.message().find(what), std::string::npos)
      << status.ToString();
}

// Runs the endless loop, and `harm` once all three tasks take part.
Status RunAndHarm(Client& client, const LocalCluster& cluster,
                  const std::vector<int>& at_work,
                  const std::function<void()>& harm) {
  std::thread other([&] {
    for (int task : at_work) WaitForGauge(cluster, task, "worker_running", 1);
    harm();
  });
  Results got = client.Run(Args(-1));
  other.join();
  EXPECT_FALSE(got.ok());
  return got.status();
}

TEST(Failure, AKilledTaskIsNamedAndNothingIsLeft) {
  auto cluster = StartCluster(3);
  ASSERT_TRUE(cluster);
  for (int victim : {1, 2}) {
    Client client(kLoop, *cluster);
    int64_t killed = 0;
    Status status = RunAndHarm(client, *cluster, {0, 1, 2}, [&] {
      killed = NowNanos();
      cluster->Kill(victim);
    });
    const double seconds = static_cast<double>(NowNanos() - killed) / 1e9;
    EXPECT_EQ(status.code(), Code::kUnavailable) << status.ToString();
    ExpectNames(status, StrCat("task /job:worker/task:", victim, " at "));
    RecordProperty("seconds", std::to_string(seconds));
    // While it is gone, every run reports so.
    ExpectNames(client.Run(Args(3)).status(),
                StrCat("task /job:worker/task:", victim));
    ASSERT_TRUE(cluster->Restart(victim).ok());
    Results got = client.Run(Args(3));
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    EXPECT_EQ(*(*got)[1].data<float>(), 6.0f);
    client.Close();
    ExpectNothingLeft(*cluster, {0, 1, 2});
  }
}

TEST(Failure, AStoppedTaskIsGivenUpAndChangesNothingWhenItWakes) {
  auto cluster =
      StartCluster(3, {"--keepalive-ms", "300", "--keepalive-timeout-ms",
                       SL_TSAN || SL_ASAN ? "3000" : "700"});
  ASSERT_TRUE(cluster);
  Client client(kLoop, *cluster);
  Status status =
      RunAndHarm(client, *cluster, {0, 1, 2}, [&] { cluster->Stop(2); });
  EXPECT_EQ(status.code(), Code::kUnavailable) << status.ToString();
  ExpectNames(status, "task /job:worker/task:2");
  ExpectNoStepLeft(*cluster, {0, 1});
  cluster->Continue(2);
  // It is not told, and notices by itself.
  ExpectNoStepLeft(*cluster, {2});
  // It ends its session and step by itself.
  Results got = client.Run(Args(3));
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  client.Close();
  ExpectNothingLeft(*cluster, {0, 1, 2});
}

TEST(Failure, ADeadMastersSessionsVanish) {
  auto cluster = StartCluster(3);
  ASSERT_TRUE(cluster);
  Client client(kLoop, *cluster, 0);
  Status status =
      RunAndHarm(client, *cluster, {0, 1, 2}, [&] { cluster->Kill(0); });
  EXPECT_EQ(status.code(), Code::kUnavailable) << status.ToString();
  ExpectNames(status, "master grpc://");
  ExpectNothingLeft(*cluster, {1, 2});
  // The session is lost with it; a new one works.
  ASSERT_TRUE(cluster->Restart(0).ok());
  Client other(kLoop, *cluster, 1);
  Results got = other.Run(Args(3));
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_FALSE(client.Run(Args(3)).ok());
  client.Close();
  other.Close();
  ExpectNothingLeft(*cluster, {0, 1, 2});
}

TEST(Failure, ADeadClientsSessionVanishes) {
  auto cluster = StartCluster(3);
  ASSERT_TRUE(cluster);
  // A separate process, which is killed during a step.
  setenv("SLUICE_TEST_TARGET", cluster->target(0).c_str(), 1);
  const char* const words[] = {
      "cluster_test", "--gtest_filter=ClientOfFailure.*",
      "--gtest_also_run_disabled_tests", "--gtest_brief=1", nullptr};
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, "/proc/self/exe", nullptr, nullptr,
                        const_cast<char**>(words), environ),
            0);
  for (int task : {0, 1, 2}) WaitForGauge(*cluster, task, "worker_running", 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ExpectNothingLeft(*cluster, {0, 1, 2});
}

TEST(Failure, ARestartedTaskIsNotTakenForTheOldOne) {
  auto cluster = StartCluster(3);
  ASSERT_TRUE(cluster);
  Client client(kLoop, *cluster);
  ASSERT_TRUE(client.Run(Args(3)).ok());
  ASSERT_TRUE(cluster->Restart(1).ok());
  // The first run afterwards fails or has reconnected; later ones succeed.
  Results got = client.Run(Args(3));
  if (!got.ok()) ExpectNames(got.status(), "/job:worker/task:1");
  got = client.Run(Args(3));
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  client.Close();
  ExpectNothingLeft(*cluster, {0, 1, 2});
}

// ---- Repeated, late and altered messages ----

class Raw {
 public:
  explicit Raw(const LocalCluster& cluster, int task) {
    channel_ = *(*DefaultTransport())->Connect(cluster.address(task), 0, {});
  }
  // The status in the answer, or the transport's if there is no answer.
  Status Call(const char* method, Payload request) {
    auto waiting = std::make_shared<WaitingFor<Status>>();
    channel_->Call(method, std::move(request), 0,
                   [waiting](const Status& status, const Payload& payload) {
                     if (!status.ok()) return waiting->Bring(status);
                     Result<Answer> answer = DecodeParcel<Answer>(payload);
                     waiting->Bring(answer.ok() ? answer->status.ToStatus()
                                                : answer.status());
                   });
    return waiting->Wait();
  }
  Channel& channel() { return *channel_; }

 private:
  std::shared_ptr<Channel> channel_;
};

// A session of a worker, held by a test.
struct HeldSession {
  HeldSession(Raw& raw, uint64_t session, uint64_t incarnation)
      : id(session), answer(std::make_shared<WaitingFor<Status>>()) {
    stream = raw.channel().Open(
        methods::kKeepWorkerSession,
        {.message =
             [a = answer](const Payload& payload) {
               a->Bring(DecodeParcel<Answer>(payload)->status.ToStatus());
             },
         .closed = [a = answer](const Status& why) { a->Bring(why); }});
    KeepWorkerSession request;
    request.session = session;
    request.incarnation = incarnation;
    request.master = "/job:test/task:0";
    stream->Write(WrapBytes(Encode(request)));
    status = answer->Wait();
  }
  uint64_t id;
  std::shared_ptr<WaitingFor<Status>> answer;
  std::shared_ptr<Stream> stream;
  Status status;
};

TEST(Failure, WhatComesTwiceOrLateIsRefused) {
  auto cluster = StartCluster(1);
  ASSERT_TRUE(cluster);
  Raw raw(*cluster, 0);
  uint64_t incarnation = StatusOf(*cluster, 0).self.incarnation;
  {
    HeldSession wrong(raw, 7, incarnation + 2);
    EXPECT_EQ(wrong.status.code(), Code::kAborted);
    ExpectNames(wrong.status, "was restarted");
  }
  HeldSession session(raw, 7, incarnation);
  ASSERT_TRUE(session.status.ok()) << session.status.ToString();
  {
    HeldSession again(raw, 7, incarnation);
    EXPECT_EQ(again.status.code(), Code::kAlreadyExists);
  }
  RegisterGraph graph;
  graph.session = 7;
  graph.graph = WriteBinary(*MustParse(R"(graph g() -> (%y) {
    %y = Add(1, 2)
  })"));
  ASSERT_TRUE(raw.Call(methods::kRegister, WrapBytes(Encode(graph))).ok());
  RunGraph run;
  run.session = 7;
  run.piece = 1;
  run.step = 5;
  run.oldest = 5;
  Payload request = WrapBytes(Encode(run));
  EXPECT_TRUE(raw.Call(methods::kRun, request).ok());
  EXPECT_EQ(raw.Call(methods::kRun, request).code(), Code::kAlreadyExists);
  run.step = 4;  // an earlier one
  EXPECT_EQ(raw.Call(methods::kRun, WrapBytes(Encode(run))).code(),
            Code::kAlreadyExists);
  // A step that was cancelled before it arrived.
  AbortStep abort;
  abort.session = 7;
  abort.step = 6;
  abort.why = WireStatus(Cancelled("not wanted"));
  EXPECT_TRUE(raw.Call(methods::kAbort, WrapBytes(Encode(abort))).ok());
  run.step = 6;
  EXPECT_EQ(raw.Call(methods::kRun, WrapBytes(Encode(run))).code(),
            Code::kAlreadyExists);
  run.session = 8;
  EXPECT_EQ(raw.Call(methods::kRun, WrapBytes(Encode(run))).code(),
            Code::kAborted);
  run.session = 7;
  run.step = 7;
  run.piece = 9;
  EXPECT_EQ(raw.Call(methods::kRun, WrapBytes(Encode(run))).code(),
            Code::kNotFound);
  FetchPart part;
  part.session = 7;
  part.step = 5;
  EXPECT_EQ(raw.Call(methods::kFetch, WrapBytes(Encode(part))).code(),
            Code::kAborted);
  EXPECT_EQ(raw.Call("/sluice.v1.Worker/NoSuch", WrapBytes("")).code(),
            Code::kUnimplemented);
  session.stream->Close(OkStatus());
  ExpectNothingLeft(*cluster, {0});
}

TEST(Failure, DamagedBytesEndTheStepAndNothingElse) {
  auto cluster = StartCluster(1);
  ASSERT_TRUE(cluster);
  Raw raw(*cluster, 0);
  TaskInfo self = StatusOf(*cluster, 0).self;
  HeldSession session(raw, 7, self.incarnation);
  ASSERT_TRUE(session.status.ok());
  // A piece that waits for a task played by this test.
  TaskInfo other{"/job:test/task:1", "127.0.0.1:1", 99};
  RegisterGraph graph;
  graph.session = 7;
  graph.tasks = {other};
  graph.graph = WriteBinary(*MustParse(R"(graph g() -> (%y) {
    %x = Recv [dtype = f32, shape = [2], edge = 3, from = "/job:test/task:1",
               to = "/job:worker/task:0"]
    %y = Neg(%x)
  })"));
  ASSERT_TRUE(raw.Call(methods::kRegister, WrapBytes(Encode(graph))).ok());
  for (bool damaged : {true, false}) {
    RunGraph run;
    run.session = 7;
    run.piece = 1;
    run.step = damaged ? 1 : 2;
    auto ran = std::make_shared<WaitingFor<Status>>();
    raw.channel().Call(
        methods::kRun, WrapBytes(Encode(run)), 0,
        [ran](const Status& status, const Payload& payload) {
          ran->Bring(status.ok()
                         ? DecodeParcel<Answer>(payload)->status.ToStatus()
                         : status);
        });
    WaitForGauge(*cluster, 0, "waiting_calls", 1);
    auto stream = raw.channel().Open(methods::kTensors, {});
    Frame hello;
    Hello its;
    its.from = other;
    its.to_incarnation = self.incarnation;
    hello.kind = FrameKind::kHello;
    hello.head = Encode(its);
    stream->Write(WriteFrame(hello));
    Frame tensor;
    tensor.kind = FrameKind::kTensor;
    tensor.key = {3, 0};
    tensor.session = 7;
    tensor.step = run.step;
    Payload contents;
    ASSERT_TRUE(
        WriteArray(Array::Vector<float>({1, 2}), &tensor.head, &contents).ok());
    std::string bytes = WriteFrame(tensor, contents).ToString();
    if (damaged) bytes.back() = static_cast<char>(bytes.back() ^ 1);
    stream->Write(Payload(bytes));
    Status status = ran->Wait();
    if (damaged) {
      EXPECT_EQ(status.code(), Code::kDataLoss) << status.ToString();
      ExpectNames(status, "the checksum does not fit");
      ExpectNames(status, "from task /job:test/task:1");
    } else {
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
    stream->Close(OkStatus());
  }
  session.stream->Close(OkStatus());
  ExpectNothingLeft(*cluster, {0});
}

TEST(Failure, AnyBytesAreAnsweredOrRefused) {
  auto cluster = StartCluster(1);
  ASSERT_TRUE(cluster);
  Raw raw(*cluster, 0);
  std::mt19937 random(3);
  const char* const all[] = {
      methods::kStatus, methods::kRegister, methods::kForget,
      methods::kRun,    methods::kAbort,    methods::kFetch,
      methods::kReset,  methods::kPrepare,  methods::kRunPrepared,
      methods::kCancel, methods::kRelease};
  for (int i = 0; i < 600; ++i) {
    std::string bytes(random() % 60, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 4 ? random() : 0);
    Payload request = i % 2 ? Payload(bytes) : WrapBytes(bytes);
    (void)raw.Call(all[random() % std::size(all)], request);
  }
  for (const char* method : {methods::kTensors, methods::kKeepWorkerSession,
                             methods::kKeepSession}) {
    for (int i = 0; i < 30; ++i) {
      auto over = std::make_shared<WaitingFor<bool>>();
      auto stream = raw.channel().Open(
          method, {.message = {},
                   .closed = [over](const Status&) { over->Bring(true); }});
      std::string bytes(random() % 90, '\0');
      for (char& c : bytes) c = static_cast<char>(random() % 3 ? random() : 0);
      stream->Write(Payload(bytes));
      stream->Close(OkStatus());
      over->Wait();
    }
  }
  ExpectNothingLeft(*cluster, {0});
}

// ---- Memory ----

TEST(Failure, NoMemoryInATaskIsAnErrorAndTheTaskLives) {
  auto cluster = StartCluster(2);
  ASSERT_TRUE(cluster);
  Client client(R"(graph g(%n: i64[1]) -> (%y) {
    %a = Neg(%n) on "/job:worker/task:0"
    %s = Neg(%a) on "/job:worker/task:1"
    %z = Fill(%s, 0.5) on "/job:worker/task:1"
    %y = Sum(%z) on "/job:worker/task:1"
  })",
                *cluster);
  Results got = client.Run({Array::Vector<int64_t>({int64_t{1} << 46})});
  EXPECT_EQ(got.status().code(), Code::kResourceExhausted)
      << got.status().ToString();
  ExpectNames(got.status(), "in task /job:worker/task:1");
  got = client.Run({Array::Vector<int64_t>({10})});
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(*(*got)[0].data<float>(), 5.0f);
  client.Close();
  ExpectNothingLeft(*cluster, {0, 1});
}

// ---- Many kills ----

TEST(Failure, KillsAtRandomPointsGiveCleanErrors) {
  const int kills = SL_TSAN || SL_ASAN ? 6 : 40;
  auto cluster = StartCluster(3);
  ASSERT_TRUE(cluster);
  std::mt19937 random(17);
  int errors = 0;
  for (int k = 0; k < kills; ++k) {
    SCOPED_TRACE(StrCat("kill ", k));
    Client client(kLoop, *cluster);
    int victim = 1 + static_cast<int>(random() % 2);
    // At some time during the first steps: while pieces are registered, or
    // later.
    auto micros = static_cast<useconds_t>(random() % 12000);
    std::thread other([&] {
      usleep(micros);
      cluster->Kill(victim);
    });
    Status last;
    while (last.ok()) {
      Results got = client.Run(Args(20));
      if (got.ok()) {
        EXPECT_EQ(*(*got)[1].data<float>(), 40.0f);
      }
      last = got.status();
    }
    other.join();
    ++errors;
    ExpectNames(last, StrCat("/job:worker/task:", victim));
    EXPECT_TRUE(last.code() == Code::kUnavailable ||
                last.code() == Code::kAborted)
        << last.ToString();
    client.Close();
    ASSERT_TRUE(cluster->Restart(victim).ok());
    ExpectNothingLeft(*cluster, {0, 1, 2});
  }
  EXPECT_EQ(errors, kills);
}

// Started by another test as a separate process.
TEST(ClientOfFailure, DISABLED_RunsForEver) {
  const char* target = std::getenv("SLUICE_TEST_TARGET");
  ASSERT_TRUE(target);
  auto graph = MustParse(kLoop);
  auto master = RemoteSession::Connect(*graph, target, 0);
  ASSERT_TRUE(master.ok());
  const Region& root = graph->root();
  FeedList feeds = {{root.arg(0), Array::Scalar(int64_t{-1})},
                    {root.arg(1), Array::Scalar(0.0f)}};
  (void)(*master)->Run(root.results(), feeds, root.targets(), {});
}

}  // namespace
}  // namespace sluice::cluster
