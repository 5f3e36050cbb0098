// Training with variables in tasks of their own, all of them real processes of
// this machine.
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>

#include "benchmarks/bench.h"
#include "benchmarks/cluster_client.h"
#include "sluice/base/clock.h"
#include "sluice/fleet/sharded_table.h"
#include "sluice/fleet/sync_chief.h"
#include "sluice/sluice.h"

namespace sluice::bench {
namespace {

namespace dist = distributed;
using cluster::LocalCluster;

// Has a process run a fifth of the time, by stopping and continuing it: for
// longer than a step, or the system would make up for it in between.
class Straggler {
 public:
  explicit Straggler(int64_t process) : process_(static_cast<pid_t>(process)) {
    thread_ = std::thread([this] {
      using std::chrono::milliseconds;
      while (!over_) {
        kill(process_, SIGSTOP);
        std::this_thread::sleep_for(milliseconds(200));
        kill(process_, SIGCONT);
        std::this_thread::sleep_for(milliseconds(50));
      }
    });
  }
  ~Straggler() {
    over_ = true;
    thread_.join();
  }
  Straggler(const Straggler&) = delete;
  Straggler& operator=(const Straggler&) = delete;

 private:
  const pid_t process_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

constexpr int kWorkers = 5;

// Five workers that multiply matrices, and a variable in task 0.
std::unique_ptr<dist::SyncReplicas> Together(const std::string& name,
                                             int backups,
                                             LocalCluster& cluster) {
  dist::ParameterServers servers({cluster.task(0)});
  std::optional<PlacerScope> placed(servers);
  Variable w = variable(full({1000}, 0.5f), StrCat(name, "_w"));
  placed.reset();
  dist::SyncOptions options;
  options.workers = kWorkers;
  options.backups = backups;
  options.name = name;
  options.task = cluster.task(0);
  auto sync = std::make_unique<dist::SyncReplicas>(options);
  for (int k = 0; k < kWorkers; ++k) {
    DeviceScope here(cluster.task(1 + k));
    sync->worker(k, [&] {
      Tensor value = w.read();
      Tensor x = broadcast_to(mean(value), Array::Vector<int64_t>({256, 256}));
      for (int i = 0; i < 4; ++i) x = tanh(matmul(x, x));
      return std::vector<dist::Gradient>{{value * mean(x), w}};
    });
  }
  std::vector<optim::GradAndVariable> means;
  for (auto& [value, variable] : sync->means()) {
    means.push_back({value, variable});
  }
  optim::SGD sgd(0.01);
  sync->set_update(sgd.apply_gradients(means));
  return sync;
}

// Seconds of one step, of so many; `workers` becomes those of each worker.
double StepSeconds(const dist::SyncReplicas& sync, Session& session,
                   int64_t steps, std::vector<double>* workers = nullptr) {
  auto cancellation = std::make_shared<Cancellation>();
  RunOptions options;
  options.cancellation = cancellation;
  dist::SyncChief chief(sync, session, 0, cancellation);
  double seconds = 0;
  dist::RunWorkers(
      kWorkers, *cancellation,
      [&](int w) { dist::Work(sync, session, w, nullptr, options); },
      [&] {
        chief.Start();
        (void)chief.Step();
        int64_t start = NowNanos();
        for (int64_t i = 0; i < steps; ++i) (void)chief.Step();
        seconds = static_cast<double>(NowNanos() - start) * 1e-9;
        chief.Finish();
      });
  if (workers) *workers = chief.stats().seconds;
  return seconds / static_cast<double>(steps);
}

}  // namespace

SL_BENCH(fleet, backup_worker,
         "a straggler among five workers: one backup against none") {
  setenv("SLUICE_THREADS", "1", 0);
  auto cluster = Start(1 + kWorkers);
  Graph graph;
  GraphScope building(graph);
  auto all = Together("all", 0, *cluster), backup = Together("b", 1, *cluster);
  Session session(graph, cluster->target());
  session.run(initialize_variables(graph));
  (void)StepSeconds(*all, session, 3);
  (void)StepSeconds(*backup, session, 3);
  double even = StepSeconds(*all, session, 20);
  Straggler slow(cluster->process(kWorkers));
  double with = HUGE_VAL, without = HUGE_VAL;
  std::vector<double> workers;
  for (int i = 0; i < report.rounds; ++i) {
    without = std::min(without, StepSeconds(*all, session, 20));
    with = std::min(with, StepSeconds(*backup, session, 60, &workers));
  }
  report.Line("backup_worker", without / with, "x",
              {{"workers", "5"},
               {"none_ms", StrCat(without * 1e3)},
               {"one_ms", StrCat(with * 1e3)},
               {"no_straggler_ms", StrCat(even * 1e3)},
               {"worker_ms", StrCat(workers[0] * 1e3)},
               {"straggler_ms", StrCat(workers[kWorkers - 1] * 1e3)}},
              AtLeast(2));
}

SL_BENCH(fleet, embedding_tasks,
         "1024 rows of a table over two tasks: 10M rows against 10,000") {
  auto cluster = Start(3);
  Graph graph;
  GraphScope building(graph);
  dist::ParameterServers servers({cluster->task(0), cluster->task(1)});
  const std::vector<int64_t> sizes = {10'000, 10'000'000};
  constexpr int64_t kWidth = 32, kLookups = 1024;
  std::vector<Tensor> ids, losses;
  std::vector<Operation> steps;
  for (int64_t rows : sizes) {
    dist::TableOptions options;
    options.name = StrCat("rows_", rows);
    options.initial = [](const Shape& shape) {
      std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
      return broadcast_to(cast(0.5, DType::kF32),
                          Array::Vector(std::span<const int64_t>(dims)));
    };
    dist::ShardedTable table(servers, {rows, kWidth}, options);
    DeviceScope here(cluster->task(2));
    ids.push_back(placeholder(DType::kI64, {kLookups}));
    Tensor found = table.lookup(ids.back());
    losses.push_back(mean(found * found));
    steps.push_back(optim::SGD(0.01).minimize(losses.back(), table.parts()));
  }
  Session session(graph, cluster->target(2));
  session.run(initialize_variables(graph));
  std::mt19937_64 random(1);
  std::vector<std::function<void()>> functions;
  std::vector<Callable> calls;
  for (size_t i = 0; i < sizes.size(); ++i) {
    calls.push_back(session.prepare({losses[i]}, {ids[i]}, {steps[i]}));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    // Rows nobody has asked for lately, every time.
    functions.push_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        std::vector<int64_t> some(kLookups);
        for (int64_t& id : some) {
          id = static_cast<int64_t>(random() % static_cast<uint64_t>(sizes[i]));
        }
        calls[i]({Array::Vector(std::span<const int64_t>(some))});
      }
    });
  }
  for (auto& f : functions) f();
  std::vector<double> best = Best(report.rounds, functions);
  report.Line("embedding_tasks", best[1] / best[0], "x",
              {{"rows", "10000000"},
               {"width", StrCat(kWidth)},
               {"ms", StrCat(best[1] / 50 * 1e3)},
               {"small_ms", StrCat(best[0] / 50 * 1e3)}},
              AtMost(1.1));
}

}  // namespace sluice::bench
