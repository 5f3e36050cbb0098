// Threads that cannot be made: the n-th of a run, for every n. Wanted each
// time: the result, or an error; the process lives and nothing hangs.
// Labels: threads
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "sluice/base/caught.h"
#include "sluice/base/started_thread.h"
#include "sluice/base/temp_folder_test_util.h"
#include "sluice/base/timer.h"
#include "sluice/base/worker_pool.h"
#include "sluice/data/data_test_util.h"
#include "sluice/data/queue_runner.h"
#include "sluice/graph/text_parser.h"
#include "sluice/io/checkpoint.h"
#include "sluice/session/program.h"
#include "sluice/sluice.h"
#include "sluice/step/step_pool.h"

namespace sluice {
namespace {

// `work` with the n-th thread failing, for every n until none fails: OK or
// ResourceExhausted. Gives the number of threads that failed.
template <class Work>
int64_t ForEveryThread(Work work) {
  for (int64_t n = 1; n < 1000; ++n) {
    fail_thread_at = n;
    Status status = Guarded([&]() -> Status { return work(); });
    bool came = fail_thread_at.exchange(0) <= 0;
    if (!status.ok()) {
      EXPECT_TRUE(came) << status.ToString();
      EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
    }
    if (!came) return n - 1;
  }
  ADD_FAILURE() << "it never ran to its end";
  return 0;
}

TEST(FailingThreads, OfAPoolAreDoneWithout) {
  EXPECT_EQ(ForEveryThread([]() -> Status {
              WorkerPool pool(4);
              std::atomic<int> items{0};
              ParallelFor(&pool, 100, 1, [&](int64_t, int64_t) { ++items; });
              EXPECT_EQ(items.load(), 100);
              return OkStatus();
            }),
            3);
}

// A training step whose pool has fewer threads than it wants.
TEST(FailingThreads, OfAStepAreDoneWithout) {
  auto graph = *ParseGraph(R"(graph g(%x: f32[64,64], %w: f32[64,64]) -> (%d) {
    %h = MatMul(%x, %w)
    %a = Relu(%h)
    %t = Transpose(%x)
    %g = MatMul(%t, %a)
    %d = Sub(%w, %g)
  })");
  PlanOptions options;
  ResourceManager resources;
  options.resources = &resources;
  options.executor = ExecutorChoice::kTokens;
  Program program(graph->Clone(), options);
  std::vector<Array> args(2, Array::Zeros(DType::kF32, {64, 64}));
  auto plan = *program.PlanFor(args);
  EXPECT_GT(ForEveryThread([&]() -> Status {
              WorkerPool pool(4);
              std::unique_ptr<Step> step = AcquireStep(*plan);
              StepRequest request;
              request.step_id = 1;
              request.resources = &resources;
              request.pool = &pool;
              step->Begin(request);
              for (int i = 0; i < 2; ++i) {
                step->Feed(i, args[static_cast<size_t>(i)]);
              }
              step->RunUntilQuiet();
              Status status = step->Finish();
              for (Array& a : step->results()) a = Array();
              ReleaseStep(*plan, std::move(step));
              return status;
            }),
            0);
}

TEST(FailingThreads, OfATimerAreAnErrorOrDoneWithout) {
  EXPECT_GT(ForEveryThread([]() -> Status {
              std::atomic<int> calls{0};
              Timer timer;
              for (int i = 0; i < 3; ++i) timer.After(0, [&] { ++calls; });
              while (calls.load() < 3) std::this_thread::yield();
              return OkStatus();
            }),
            0);
}

TEST(FailingThreads, OfAPipelineAreAnErrorOrDoneWithout) {
  EXPECT_EQ(ForEveryThread([]() -> Status {
              int64_t sum = 0;
              auto twice = data::range(50).map(
                  [](Tensor x) { return x * int64_t{2}; }, {.threads = 3});
              for (int64_t x : data::Numbers(twice)) sum += x;
              EXPECT_EQ(sum, 49 * 50);
              return OkStatus();
            }),
            3);
}

TEST(FailingThreads, OfQueueRunnersAreAnErrorOrDoneWithout) {
  Graph graph;
  Queue queue;
  Tensor item, taken;
  Operation fill;
  {
    GraphScope building(graph);
    queue = fifo_queue(4, {i64}, {Shape()});
    item = placeholder(i64, Shape(), "item");
    fill = queue.enqueue({item});
    taken = queue.dequeue_many(5)[0];
  }
  EXPECT_EQ(ForEveryThread([&]() -> Status {
              Session session(graph);
              data::QueueRunner readers(
                  session, queue,
                  data::enqueue_steps(session, data::range(40), fill, {item}),
                  {.threads = 3});
              int64_t batches = 0;
              while (readers.feed([&] { (void)session.run(taken); })) {
                ++batches;
              }
              EXPECT_EQ(batches, 8);
              return readers.status();
            }),
            3);
}

TEST(FailingThreads, OfACheckpointAreDoneWithout) {
  TempFolder folder;
  EXPECT_EQ(ForEveryThread([&]() -> Status {
              io::CheckpointManager manager(folder.path() + "/run");
              io::Snapshot snapshot;
              manager.save(7, snapshot);
              manager.wait();
              EXPECT_EQ(manager.steps(), std::vector<int64_t>{7});
              return OkStatus();
            }),
            1);
}

}  // namespace
}  // namespace sluice
