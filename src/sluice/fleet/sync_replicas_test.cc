// Synchronous training in one process, with threads: a session without a target
// runs a graph whatever tasks it names. Tests with real tasks are in
// python/tests/test_parameter_servers.py.
#include "sluice/fleet/sync_replicas.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "sluice/base/strings.h"
#include "sluice/fleet/servers_test_util.h"
#include "sluice/fleet/sharded_table.h"
#include "sluice/fleet/sync_chief.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

namespace dist = distributed;

// A model of two variables in two tasks, and workers whose gradients depend on
// the values they read and on their feeds.
struct Model {
  Graph graph;
  std::optional<dist::ParameterServers> servers;
  Variable w, b;
  std::vector<Tensor> xs;
  optim::Adam adam{0.05};

  void Variables() {
    servers.emplace(kTasks);
    PlacerScope placed(*servers);
    w = variable({0.5f, -1.5f, 0.25f}, "w");
    b = variable(0.125f, "b");
  }
  Tensor Loss(const Tensor& x) const {
    Tensor y = tanh(sum(w.read() * x) + b.read());
    return y * y + sum(w.read() * w.read()) * 0.01f;
  }
};

Array Batch(int worker, int64_t step) {
  auto k = static_cast<float>(step);
  return Array::Vector<float>(
      {0.1f * k, 0.3f * static_cast<float>(worker), 0.7f - 0.01f * k});
}

std::vector<float> TrainedTogether(int workers, int64_t steps, unsigned seed) {
  Model m;
  GraphScope building(m.graph);
  m.Variables();
  dist::SyncReplicas sync({.workers = workers, .task = kTasks[0]});
  for (int k = 0; k < workers; ++k) {
    DeviceScope here(StrCat("/job:worker/task:", k));
    m.xs.push_back(placeholder(DType::kF32, {3}));
    sync.worker(k, [&] {
      return dist::SyncReplicas::gradients(m.Loss(m.xs.back()), {m.w, m.b});
    });
  }
  std::vector<optim::GradAndVariable> means;
  for (auto& [value, variable] : sync.means()) {
    means.push_back({value, variable});
  }
  sync.set_update(m.adam.apply_gradients(means));
  Session session(m.graph);
  session.run(initialize_variables(m.graph));
  std::vector<int64_t> done(static_cast<size_t>(workers));
  std::mt19937 random(seed);
  std::mutex mu;
  auto stats = dist::Train(sync, session, steps, [&](int worker) {
    int us;
    {
      std::lock_guard lock(mu);
      us = static_cast<int>(random() % 500);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(us));
    auto k = static_cast<size_t>(worker);
    return Feeds{{m.xs[k], FeedValue(Batch(worker, done[k]++))}};
  });
  EXPECT_EQ(stats.steps, steps);
  EXPECT_EQ(stats.admitted, steps * workers);
  EXPECT_EQ(session.run(sync.chief().step).data<int64_t>()[0], steps);
  std::vector<float> all = Floats(session.run(m.w));
  all.push_back(Floats(session.run(m.b))[0]);
  return all;
}

// The same in one process, with one step on all the data.
std::vector<float> TrainedAlone(int workers, int64_t steps) {
  Model m;
  GraphScope building(m.graph);
  m.Variables();
  std::vector<Tensor> gw, gb;
  for (int k = 0; k < workers; ++k) {
    m.xs.push_back(placeholder(DType::kF32, {3}));
    auto g = dist::SyncReplicas::gradients(m.Loss(m.xs.back()), {m.w, m.b});
    gw.push_back(g[0].value);
    gb.push_back(g[1].value);
  }
  auto mean = [&](const std::vector<Tensor>& parts) {
    Tensor total = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) total = total + parts[i];
    return total / static_cast<float>(workers);
  };
  Operation step = m.adam.apply_gradients({{mean(gw), m.w}, {mean(gb), m.b}});
  Session session(m.graph);
  session.run(initialize_variables(m.graph));
  for (int64_t i = 0; i < steps; ++i) {
    Feeds feeds;
    for (int k = 0; k < workers; ++k) {
      feeds.push_back({m.xs[static_cast<size_t>(k)], FeedValue(Batch(k, i))});
    }
    session.run(step, feeds);
  }
  std::vector<float> all = Floats(session.run(m.w));
  all.push_back(Floats(session.run(m.b))[0]);
  return all;
}

TEST(SyncReplicas, EqualToOneProcessToTheBitWhateverTheOrder) {
  std::vector<float> alone = TrainedAlone(3, 20);
  EXPECT_EQ(TrainedTogether(3, 20, 1), alone);
  EXPECT_EQ(TrainedTogether(3, 20, 2), alone);
}

// Worker w delivers 4^w for two variables in two tasks: the sums tell who was
// admitted.
TEST(SyncReplicas, BackupsAdmitWholeGradientsOnlyAndSamplesComeBack) {
  constexpr int kWorkers = 5, kBackups = 2;
  constexpr int64_t kSteps = 40, kSamples = 400;
  Graph graph;
  GraphScope building(graph);
  dist::ParameterServers servers(kTasks);
  std::optional<PlacerScope> placed(servers);
  Variable a = variable(0.0, "a"), b = variable(0.0, "b"),
           used = variable(0.0, "used");
  placed.reset();
  Queue input = fifo_queue(-1, {DType::kF64}, {Shape()});
  dist::SyncReplicas sync(
      {.workers = kWorkers, .backups = kBackups, .task = kTasks[0]});
  for (int k = 0; k < kWorkers; ++k) {
    DeviceScope here(StrCat("/job:worker/task:", k));
    Tensor token = sync.begin(k);
    ControlScope after({token.operation()});
    std::vector<Tensor> batch = input.dequeue_many(2);
    Tensor mine = cast(std::pow(4.0, k), DType::kF64);
    sync.hand_in(k, token, {{mine, a}, {mine, b}, {sum(batch[0]), used}},
                 {.input = input, .values = batch});
  }
  auto means = sync.means();
  std::vector<Operation> changes;
  for (auto& [mean, variable] : means) {
    changes.push_back(variable.assign_add(mean * double{kWorkers - kBackups}));
  }
  {
    ControlScope after(changes);
    sync.set_update(no_op());
  }

  Session session(graph);
  session.run(initialize_variables(graph));
  std::vector<double> numbers;
  for (int64_t i = 0; i < kSamples; ++i) numbers.push_back(double(i));
  session.run(input.enqueue_many({Operand(numbers)}));
  auto cancellation = std::make_shared<Cancellation>();
  RunOptions options;
  options.cancellation = cancellation;
  dist::SyncChief chief(sync, session, 0, cancellation);
  std::mt19937 random(3);
  std::mutex mu;
  auto number = [&](const Variable& v) {
    return session.run(v).data<double>()[0];
  };
  dist::RunWorkers(
      kWorkers, *cancellation,
      [&](int w) {
        dist::Work(
            sync, session, w,
            [&](int) {
              int us;
              {
                std::lock_guard lock(mu);
                us = static_cast<int>(random() % 800);
              }
              std::this_thread::sleep_for(std::chrono::microseconds(us));
              return Feeds{};
            },
            options);
      },
      [&] {
        chief.Start();
        double before = 0;
        for (int64_t i = 0; i < kSteps; ++i) {
          std::vector<int> members = chief.Step();
          ASSERT_EQ(members.size(), size_t{kWorkers - kBackups});
          double wanted = 0;
          for (int w : members) wanted += std::pow(4.0, w);
          ASSERT_EQ(number(a) - before, wanted) << "step " << i;
          ASSERT_EQ(number(b) - before, wanted) << "step " << i;
          before = number(a);
        }
        chief.Finish();
      });
  const dist::SyncStats& stats = chief.stats();
  int64_t dropped = 0;
  for (int64_t d : stats.dropped) dropped += d;
  EXPECT_GT(dropped, 0) << "five workers, three of which are waited for";
  // Every sample was used once or is in the queue again.
  int64_t left = session.run(input.size()).data<int64_t>()[0];
  EXPECT_EQ(left, kSamples - 2 * stats.admitted);
  Array rest = session.run(input.dequeue_many(left)[0]);
  double total = number(used);
  for (int64_t i = 0; i < left; ++i) total += rest.data<double>()[i];
  EXPECT_EQ(total, kSamples * (kSamples - 1) / 2);
}

TEST(SyncReplicas, SparseGradientsAreAddedUpByRows) {
  Graph graph;
  GraphScope building(graph);
  dist::ParameterServers servers(kTasks);
  dist::ShardedTable table(servers, {6, 1});
  dist::SyncReplicas sync({.workers = 2, .task = kTasks[0]});
  for (int k = 0; k < 2; ++k) {
    DeviceScope here(StrCat("/job:worker/task:", k));
    sync.worker(k, [&] {
      Tensor rows = table.lookup(Array::Vector<int64_t>({3 * k, 3, 5}));
      return dist::SyncReplicas::gradients(sum(rows) * 2.0f, table.parts());
    });
  }
  std::vector<optim::GradAndVariable> means;
  for (auto& [value, variable] : sync.means()) {
    EXPECT_TRUE(value.is_sparse());
    means.push_back({value, variable});
  }
  sync.set_update(optim::SGD(1.0).apply_gradients(means));
  Session session(graph);
  session.run(initialize_variables(graph));
  (void)dist::Train(sync, session, 1);
  Array all =
      session.run(table.lookup(Array::Vector<int64_t>({0, 1, 2, 3, 4, 5})));
  // Row 3: from both workers, and twice from the second.
  EXPECT_EQ(Floats(all), (std::vector<float>{-1, 0, 0, -3, 0, -2}));
}

TEST(SyncReplicas, TheNumberOfBackupsFollowsTheTail) {
  Graph graph;
  GraphScope building(graph);
  Variable a = variable(0.0f, "a");
  dist::SyncReplicas sync({.workers = 4, .adapt = true});
  for (int k = 0; k < 4; ++k) {
    sync.worker(
        k, [&] { return std::vector<dist::Gradient>{{identity(1.0f), a}}; });
  }
  auto means = sync.means();
  sync.set_update(a.assign_add(means[0].value));
  Session session(graph);
  session.run(initialize_variables(graph));
  auto stats = dist::Train(sync, session, 40, [](int worker) {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(worker == 2 ? 60 : 2));
    return Feeds{};
  });
  // The slow one; on a busy machine perhaps one more.
  EXPECT_GE(stats.backups, 1);
  EXPECT_LE(stats.backups, 2);
  EXPECT_GT(stats.seconds[2], stats.seconds[0]);
}

TEST(SyncReplicas, WhatFailsIsNamed) {
  Graph graph;
  GraphScope building(graph);
  Variable a = variable({0.0f}, "a");
  dist::SyncReplicas sync({.workers = 2});
  std::vector<Tensor> ids;
  for (int k = 0; k < 2; ++k) {
    ids.push_back(placeholder(DType::kI64, {1}));
    sync.worker(k, [&] {
      Tensor row = gather(Array::Vector<float>({1, 2}), ids.back());
      return std::vector<dist::Gradient>{{row, a}};
    });
  }
  sync.set_update(a.assign_add(sync.means()[0].value));
  Session session(graph);
  session.run(initialize_variables(graph));
  std::string message = Message([&] {
    (void)dist::Train(sync, session, 5, [&](int worker) {
      return Feeds{{ids[static_cast<size_t>(worker)],
                    FeedValue(Array::Vector<int64_t>({worker == 1 ? 7 : 0}))}};
    });
  });
  EXPECT_TRUE(message.starts_with("worker 1: [Gather] indices[0] is 7"))
      << message;
}

TEST(SyncReplicas, AWaitEndsWithTheNamesOfThoseMissing) {
  Graph graph;
  GraphScope building(graph);
  Variable a = variable(0.0f, "a");
  dist::SyncReplicas sync({.workers = 2});
  sync.worker(0,
              [&] { return std::vector<dist::Gradient>{{identity(1.0f), a}}; });
  sync.set_update(a.assign_add(sync.means()[0].value));
  Session session(graph);
  session.run(initialize_variables(graph));
  dist::SyncChief chief(sync, session, 50);
  chief.Start();
  session.run(sync.step_of(0).done);
  EXPECT_EQ(Message([&] { (void)chief.Step(); }),
            "step 0 waits for 2 more gradients, and no worker of 0, 1 has "
            "handed in one for 50 ms");
}

TEST(SyncReplicas, Refuses) {
  EXPECT_NE(Message([] {
              dist::SyncReplicas none({.workers = 2, .backups = 2});
            }).find("2 of them for backup"),
            std::string::npos);
  Graph graph;
  GraphScope building(graph);
  Variable a = variable(0.0f, "a"), b = variable(0.0f, "b");
  dist::SyncReplicas sync({.workers = 2});
  EXPECT_NE(Message([&] { (void)sync.means(); }).find("before any gradients"),
            std::string::npos);
  EXPECT_NE(Message([&] { (void)sync.begin(2); }).find("no worker 2"),
            std::string::npos);
  sync.worker(0,
              [&] { return std::vector<dist::Gradient>{{identity(1.0f), a}}; });
  EXPECT_NE(Message([&] {
              sync.worker(1, [&] {
                return std::vector<dist::Gradient>{{identity(1.0f), b}};
              });
            }).find("is of variable \"b\"; wanted \"a\""),
            std::string::npos);
}

}  // namespace
}  // namespace sluice
