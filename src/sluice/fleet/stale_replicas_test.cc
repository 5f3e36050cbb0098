#include "sluice/fleet/stale_replicas.h"

#include <gtest/gtest.h>

#include <mutex>
#include <random>
#include <thread>

#include "sluice/sluice.h"

namespace sluice {
namespace {

namespace dist = distributed;

TEST(StaleReplicas, NobodyIsAheadOfTheSlowestByMoreThanTheBound) {
  for (int64_t bound : {0, 1, 3}) {
    constexpr int kWorkers = 4;
    constexpr int64_t kSteps = 60;
    Graph graph;
    GraphScope building(graph);
    Variable a = variable(0.0, "a");
    dist::StaleReplicas stale({.workers = kWorkers, .bound = bound});
    std::vector<dist::StaleReplicas::WorkerStep> steps;
    for (int k = 0; k < kWorkers; ++k) {
      steps.push_back(stale.worker(k, [&] { return a.assign_add(double{1}); }));
    }
    Session session(graph);
    session.run(initialize_variables(graph));
    session.run(stale.start());
    std::mt19937 random(5);
    std::mutex mu;
    std::vector<int64_t> ahead =
        dist::Train(steps, session, kSteps, [&](int worker) {
          int us;
          {
            std::lock_guard lock(mu);
            us = static_cast<int>(random() % (worker == 0 ? 900 : 200));
          }
          std::this_thread::sleep_for(std::chrono::microseconds(us));
          return Feeds{};
        });
    for (int64_t most : ahead) EXPECT_LE(most, bound);
    EXPECT_EQ(session.run(a).data<double>()[0], kWorkers * kSteps)
        << "every update counts";
  }
}

}  // namespace
}  // namespace sluice
