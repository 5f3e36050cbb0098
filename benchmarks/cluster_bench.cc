// Steps over real processes of this machine, beside what TCP and gRPC alone
// take for the same bytes in the same run.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>

#include "benchmarks/bench.h"
#include "benchmarks/cluster_client.h"
#include "benchmarks/cluster_floor.h"
#include "sluice/base/clock.h"
#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/cluster/remote_session.h"

namespace sluice::bench {
namespace {

using cluster::LocalCluster;

double Seconds(const std::function<void()>& f) {
  int64_t start = NowNanos();
  f();
  return static_cast<double>(NowNanos() - start) * 1e-9;
}

// Of many calls of each, in turns: the fraction of the way up.
struct Times {
  std::vector<double> all;
  double At(double fraction) {
    std::sort(all.begin(), all.end());
    auto last = static_cast<double>(all.size() - 1);
    return all[static_cast<size_t>(fraction * last)];
  }
};

// Tasks 1 to n - 1 each read a number, task 0 adds them up.
std::string NullStep(int tasks) {
  std::string text = "graph g() -> (%y) {\n";
  std::string sum = "%zero";
  StrAppend(text, "  %zero = Const [value = 0 : f32[]]\n");
  for (int t = 1; t < tasks; ++t) {
    StrAppend(text, "  %w", t,
              " = Variable [dtype = f32, shape = [], shared_name = ", "\"w", t,
              "\"] on ", Task(t), "\n  %r", t, " = ReadVariable(%w", t,
              ") [dtype = f32, shape = []] on ", Task(t), "\n  %s", t,
              " = Add(", sum, ", %r", t, ") on ", Task(0), "\n");
    sum = StrCat("%s", t);
  }
  StrAppend(text, "  %y = Neg(", sum, ") on ", Task(0), "\n}");
  return text;
}

std::string InitNumbers(int tasks) {
  std::string text = "graph g() -> () run ";
  std::string body = "  %one = Const [value = 1 : f32[]]\n";
  for (int t = 1; t < tasks; ++t) {
    StrAppend(text, t > 1 ? ", " : "", "%a", t);
    StrAppend(body, "  %w", t,
              " = Variable [dtype = f32, shape = [], shared_name = ", "\"w", t,
              "\"] on ", Task(t), "\n  %a", t, " = Assign(%w", t, ", %one) on ",
              Task(t), "\n");
  }
  return text + " {\n" + body + "}";
}

void BenchNullStep(Report& report, int tasks, const char* name, double bar_ms) {
  auto cluster = Start(tasks);
  // The floor first: its server's thread is then that of all channels here, as
  // in a process that is one thing alone.
  Floor tcp = TcpFloor(8), grpc = GrpcFloor(8);
  {
    Client init(*cluster, InitNumbers(tasks));
    ValueOrThrow(init.Run());
  }
  Client client(*cluster, NullStep(tasks));
  for (int i = 0; i < 100; ++i) ValueOrThrow(client.Run());
  Times ours, tcps, grpcs;
  for (int i = 0; i < 200 * report.rounds; ++i) {
    ours.all.push_back(Seconds([&] { (void)client.Run(); }));
    tcps.all.push_back(Seconds(tcp.ask));
    grpcs.all.push_back(Seconds(grpc.ask));
  }
  Settings with = {{"tasks", std::to_string(tasks)},
                   {"grpc_us", StrCat(grpcs.At(0.5) * 1e6)},
                   {"tcp_us", StrCat(tcps.At(0.5) * 1e6)}};
  report.Line(name, ours.At(0.5) * 1e3, "ms", with, AtMost(bar_ms));
  report.Line(StrCat(name, "_p99_ratio"), ours.At(0.99) / ours.At(0.5), "ratio",
              with, tasks == 2 ? AtMost(2) : Bar{});
}

SL_BENCH(cluster, null_step, "a step of one worker and one parameter task") {
  BenchNullStep(report, 2, "null_step", 0.5);
}

SL_BENCH(cluster, null_step_16, "a step of 16 tasks of this machine") {
  BenchNullStep(report, 16, "null_step_16", 2.5);
}

// ---- Tensors ----

constexpr int64_t kDense = int64_t{25} << 20;  // f32: 100 MiB

std::string DenseText(bool init) {
  std::string w = StrCat("  %w = Variable [dtype = f32, shape = [", kDense,
                         "], shared_name = \"dense\"] on ", Task(1), "\n");
  if (init) {
    return StrCat("graph g(%n: i64[1]) -> () run %a {\n", w,
                  "  %z = Fill(%n, 0.5) on ", Task(1),
                  "\n  %a = Assign(%w, %z) on ", Task(1), "\n}");
  }
  return StrCat("graph g() -> (%y) {\n", w,
                "  %r = ReadVariable(%w) [dtype = f32, shape = [", kDense,
                "]] on ", Task(1),
                "\n  %y = Slice(%r) [begin = {7}, size = {1}] on ", Task(0),
                "\n}");
}

double DenseSeconds(Report& report, bool shared, Times* grpcs, Times* tcps) {
  setenv("SLUICE_SHARED_MEMORY", shared ? "1" : "0", 1);
  auto cluster = Start(2);
  unsetenv("SLUICE_SHARED_MEMORY");
  {
    Client init(*cluster, DenseText(true));
    ValueOrThrow(init.Run({Array::Vector<int64_t>({kDense})}));
  }
  Client client(*cluster, DenseText(false));
  Floor tcp = TcpFloor(kDense * 4), grpc = GrpcFloor(kDense * 4);
  auto run = [&] {
    SL_CHECK(*ValueOrThrow(client.Run())[0].data<float>() == 0.5f);
  };
  run();
  grpc.ask();
  tcp.ask();
  Times ours;
  for (int i = 0; i < 3 * report.rounds; ++i) {
    ours.all.push_back(Seconds(run));
    grpcs->all.push_back(Seconds(grpc.ask));
    tcps->all.push_back(Seconds(tcp.ask));
  }
  return ours.At(0.5);
}

SL_BENCH(cluster, dense_fetch, "100 MiB from one task to another") {
  Times grpcs, tcps;
  double ours = DenseSeconds(report, false, &grpcs, &tcps);
  report.Line("dense_fetch", ours / grpcs.At(0.5), "ratio",
              {{"ms", StrCat(ours * 1e3)},
               {"grpc_ms", StrCat(grpcs.At(0.5) * 1e3)},
               {"tcp_ms", StrCat(tcps.At(0.5) * 1e3)}},
              AtMost(1.2));
}

SL_BENCH(cluster, shared_memory_fetch, "the same where memory can be shared") {
  Times grpcs, tcps;
  double ours = DenseSeconds(report, true, &grpcs, &tcps);
  report.Line("shared_memory_fetch", grpcs.At(0.5) / ours, "ratio",
              {{"ms", StrCat(ours * 1e3)},
               {"grpc_ms", StrCat(grpcs.At(0.5) * 1e3)},
               {"tcp_ms", StrCat(tcps.At(0.5) * 1e3)}},
              AtLeast(3));
}

// ---- Rows of a table ----

std::string TableText(int64_t rows, bool init) {
  std::string name = StrCat("table", rows);
  std::string w =
      StrCat("  %w = Variable [dtype = f32, shape = [", rows,
             ",256], shared_name = \"", name, "\"] on ", Task(1), "\n");
  if (init) {
    return StrCat("graph g(%n: i64[2]) -> () run %a {\n", w,
                  "  %z = Fill(%n, 0.5) on ", Task(1),
                  "\n  %a = Assign(%w, %z) on ", Task(1), "\n}");
  }
  return StrCat("graph g(%ids: i64[32]) -> (%y) {\n", w,
                "  %v = ReadVariable(%w) [dtype = f32, shape = [", rows,
                ",256]] on ", Task(1), "\n  %r = Gather(%v, %ids) on ", Task(1),
                "\n  %y = Neg(%r) on ", Task(0), "\n}");
}

SL_BENCH(cluster, sparse_fetch, "32 rows of tables of 1 GB and 4 GB") {
  auto cluster = Start(2);
  const int64_t rows[] = {1'000'000, 4'000'000};
  std::vector<std::unique_ptr<Client>> clients;
  for (int64_t n : rows) {
    Client init(*cluster, TableText(n, true));
    ValueOrThrow(init.Run({Array::Vector<int64_t>({n, 256})}));
    clients.push_back(std::make_unique<Client>(*cluster, TableText(n, false)));
  }
  std::mt19937_64 random(5);
  Times times[2];
  for (int i = 0; i < 300 * report.rounds; ++i) {
    for (size_t k = 0; k < 2; ++k) {
      Array ids = Array::Zeros(DType::kI64, {32});
      for (int j = 0; j < 32; ++j) {
        ids.mutable_data<int64_t>()[j] =
            static_cast<int64_t>(random() % static_cast<uint64_t>(rows[k]));
      }
      times[k].all.push_back(
          Seconds([&] { ValueOrThrow(clients[k]->Run({ids})); }));
    }
  }
  double small = times[0].At(0.5), large = times[1].At(0.5);
  report.Line(
      "sparse_fetch", std::max(small, large) / std::min(small, large), "ratio",
      {{"small_ms", StrCat(small * 1e3)}, {"large_ms", StrCat(large * 1e3)}},
      AtMost(1.1));
}

// ---- Loops ----

void BenchLoop(Report& report, const char* name, int parallel, double bar) {
  constexpr int64_t kTrips = 3000;
  auto cluster = Start(2);
  Client client(*cluster, LoopText(parallel, 2));
  auto run = [&] { ValueOrThrow(client.Run({Array::Scalar(kTrips)})); };
  run();
  double seconds = Best(report.rounds, {run})[0];
  report.Line(name, kTrips / seconds, "iterations/s",
              {{"parallel_iterations", std::to_string(parallel)}},
              AtLeast(bar));
}

SL_BENCH(cluster, cluster_loop, "a loop across two processes") {
  BenchLoop(report, "cluster_loop", 1, 5000);
}

SL_BENCH(cluster, cluster_loop_parallel, "the same, 32 iterations at a time") {
  BenchLoop(report, "cluster_loop_parallel", 32, 15000);
}

// ---- Failures ----

// Seconds from the harm to the error that names the task.
double AfterHarm(LocalCluster& cluster, const std::function<void()>& harm) {
  Client client(cluster, LoopText(32, 2));
  SL_CHECK(client.Run({Array::Scalar(int64_t{10})}).ok());
  std::atomic<int64_t> when{0};
  std::thread other([&] {
    usleep(50'000);
    when = NowNanos();
    harm();
  });
  Results got = client.Run({Array::Scalar(int64_t{-1})});
  double seconds = static_cast<double>(NowNanos() - when) * 1e-9;
  other.join();
  SL_CHECK(!got.ok());
  SL_CHECK(got.status().message().find("task:1") != std::string::npos);
  return seconds;
}

SL_BENCH(cluster, failure_killed, "a task is killed: until the error") {
  auto cluster = Start(2);
  double seconds = AfterHarm(*cluster, [&] { cluster->Kill(1); });
  report.Line("failure_killed", seconds, "s", {}, AtMost(1));
}

SL_BENCH(cluster, failure_stopped, "a task is stopped: until the error") {
  auto cluster = Start(2);
  double seconds = AfterHarm(*cluster, [&] { cluster->Stop(1); });
  report.Line("failure_stopped", seconds, "s", {}, AtMost(5));
}

// What is left in a task once all are gone who used it.
int64_t Leftovers(const LocalCluster& cluster, int task) {
  int64_t left = 0;
  for (int i = 0; i < 5000; ++i) {
    left = 0;
    cluster::StatusReply reply =
        ValueOrThrow(cluster::AskStatus(cluster.address(task)));
    for (const cluster::Gauge& gauge : reply.gauges) {
      if (gauge.name.find("_total") == std::string::npos) left += gauge.value;
    }
    if (left == 0) break;
    usleep(1000);
  }
  return left;
}

SL_BENCH(cluster, kills, "200 kills at seeded random points") {
  constexpr int kKills = 200;
  auto cluster = Start(3);
  std::mt19937 random(29);
  int clean = 0;
  int64_t left = 0;
  for (int k = 0; k < kKills; ++k) {
    {
      Client client(*cluster, LoopText(8, 3));
      int victim = 2;
      auto micros = static_cast<useconds_t>(random() % 10000);
      std::thread other([&] {
        usleep(micros);
        cluster->Kill(victim);
      });
      Status last;
      while (last.ok()) {
        last = client.Run({Array::Scalar(int64_t{20})}).status();
      }
      other.join();
      clean += last.message().find("task:2") != std::string::npos;
      ThrowIfError(cluster->Restart(victim));
    }
    for (int task : {0, 1, 2}) left += Leftovers(*cluster, task);
  }
  report.Line("kills", clean, "clean errors", {{"of", std::to_string(kKills)}},
              AtLeast(kKills));
  report.Line("kills_leftovers", static_cast<double>(left), "things", {},
              AtMost(0));
}

}  // namespace
}  // namespace sluice::bench
