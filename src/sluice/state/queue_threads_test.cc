// Queues under threads: nothing is lost or duplicated, and every operation is
// answered once, whatever is closed or cancelled meanwhile.
#include <atomic>
#include <set>
#include <thread>

#include "sluice/state/queue.h"
#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

Ref<Queue> MakeQueue(QueueOrder order, int64_t capacity) {
  QueueSpec spec;
  spec.order = order;
  spec.tuple = {{DType::kI64}, {PartialShape::Scalar()}, {}};
  spec.capacity = capacity;
  return *Queue::Make("q", spec);
}

Answer Put(Queue& q, int64_t v, Cancellation* c = nullptr) {
  Answer a;
  Array part = Array::Scalar(v);
  q.Enqueue({&part, 1}, c, a.reply());
  return a;
}

Answer Get(Queue& q, Cancellation* c = nullptr) {
  Answer a;
  q.Dequeue(c, a.reply());
  return a;
}

class QueueThreads : public ::testing::TestWithParam<QueueOrder> {};

TEST_P(QueueThreads, EverythingGoesThroughASmallQueueOnce) {
  constexpr int64_t kThreads = 3, kEach = 400;
  Ref<Queue> queue = MakeQueue(GetParam(), 4);
  std::vector<std::thread> threads;
  std::vector<std::vector<int64_t>> got(kThreads);
  for (int64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < kEach; ++i) {
        Answer a = Put(*queue, t * kEach + i);
        a.Wait();
        EXPECT_TRUE(a.status().ok());
      }
    });
    threads.emplace_back([&, t] {
      for (int64_t i = 0; i < kEach; ++i) {
        Answer a = Get(*queue);
        a.Wait();
        got[static_cast<size_t>(t)].push_back(a.value<int64_t>());
      }
    });
  }
  for (auto& t : threads) t.join();
  std::set<int64_t> all;
  for (auto& v : got) all.insert(v.begin(), v.end());
  EXPECT_EQ(all.size(), static_cast<size_t>(kThreads * kEach));
  EXPECT_EQ(queue->size(), 0);
}

TEST_P(QueueThreads, BatchesOfAllSizes) {
  constexpr int64_t kTotal = 1200;
  Ref<Queue> queue = MakeQueue(GetParam(), 5);
  std::thread producer([&] {
    int64_t next = 0;
    for (int64_t n = 1; next < kTotal; n = n % 17 + 1) {
      std::vector<int64_t> v;
      for (; static_cast<int64_t>(v.size()) < n && next < kTotal; ++next) {
        v.push_back(next);
      }
      Array batch = Array::Vector(std::span<const int64_t>(v));
      Answer a;
      queue->EnqueueMany({&batch, 1}, nullptr, a.reply());
      a.Wait();
      EXPECT_TRUE(a.status().ok());
    }
    queue->Close(false);
  });
  std::vector<std::vector<int64_t>> got(2);
  std::vector<std::thread> consumers;
  for (size_t t = 0; t < got.size(); ++t) {
    consumers.emplace_back([&, t] {
      for (int64_t n = 1;; n = n % 11 + 1) {
        Answer a;
        queue->DequeueMany(n, true, nullptr, a.reply());
        a.Wait();
        if (!a.status().ok()) {
          EXPECT_EQ(a.status().code(), Code::kOutOfRange);
          return;
        }
        for (int64_t v : a.values<int64_t>()) got[t].push_back(v);
      }
    });
  }
  producer.join();
  for (auto& t : consumers) t.join();
  std::multiset<int64_t> all;
  for (auto& v : got) all.insert(v.begin(), v.end());
  EXPECT_EQ(all.size(), static_cast<size_t>(kTotal));
  EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), all.size());
}

INSTANTIATE_TEST_SUITE_P(Orders, QueueThreads,
                         ::testing::Values(QueueOrder::kFifo,
                                           QueueOrder::kShuffle,
                                           QueueOrder::kPadding,
                                           QueueOrder::kPriority));

// Each producer's own elements stay in order.
TEST(QueueRaces, FifoPerProducer) {
  constexpr int64_t kEach = 500;
  Ref<Queue> queue = MakeQueue(QueueOrder::kFifo, 3);
  std::vector<std::thread> producers;
  for (int64_t t = 0; t < 2; ++t) {
    producers.emplace_back([&, t] {
      for (int64_t i = 0; i < kEach; ++i) Put(*queue, t * kEach + i).Wait();
    });
  }
  int64_t last[2] = {-1, -1};
  for (int64_t i = 0; i < 2 * kEach; ++i) {
    Answer a = Get(*queue);
    a.Wait();
    int64_t v = a.value<int64_t>();
    EXPECT_GT(v, last[v / kEach]);
    last[v / kEach] = v;
  }
  for (auto& t : producers) t.join();
}

// An element either reaches the dequeue or stays in the queue; the dequeue is
// answered once, with the element or with the cancellation.
TEST(QueueRaces, CancellationRacesWithCompletion) {
  int cancelled = 0;
  for (int round = 0; round < 2000; ++round) {
    Ref<Queue> queue = MakeQueue(QueueOrder::kFifo, 1);
    auto step = std::make_unique<Cancellation>();
    Answer out = Get(*queue, step.get());
    std::thread canceller([&] { step->Cancel(Aborted("stop")); });
    Answer in = Put(*queue, 7);
    canceller.join();
    out.Wait();
    EXPECT_EQ(out.count(), 1);
    EXPECT_TRUE(in.status().ok());
    if (out.status().ok()) {
      EXPECT_EQ(out.value<int64_t>(), 7);
      EXPECT_EQ(queue->size(), 0);
    } else {
      ++cancelled;
      EXPECT_EQ(out.status().code(), Code::kCancelled);
      EXPECT_EQ(queue->size(), 1);
    }
  }
  RecordProperty("cancelled", cancelled);
}

// The step is cancelled while its dequeues are just starting to wait: none of
// them may be left waiting. The canceller spins, to hit that moment.
TEST(QueueRaces, CancellationRacesWithTheStartOfAWait) {
  constexpr int kGets = 32;
  for (int round = 0; round < 1000; ++round) {
    Ref<Queue> queue = MakeQueue(QueueOrder::kFifo, -1);
    Cancellation step;
    std::atomic<int> begun{0};
    std::thread canceller([&] {
      while (begun.load() <= round % (kGets / 2)) {
      }
      step.Cancel(Aborted("stop"));
    });
    std::vector<Answer> out;
    for (int i = 0; i < kGets; ++i) {
      begun.store(i + 1);
      out.push_back(Get(*queue, &step));
    }
    canceller.join();
    for (Answer& a : out) {
      ASSERT_EQ(a.count(), 1);  // answered by now; else it would wait forever
      ExpectError(a.status(), Code::kCancelled, "stop");
    }
  }
}

TEST(QueueRaces, CloseRacesWithEnqueues) {
  for (int round = 0; round < 300; ++round) {
    Ref<Queue> queue = MakeQueue(QueueOrder::kFifo, 2);
    std::atomic<int64_t> in{0};
    std::thread producer([&] {
      for (int64_t i = 0; i < 5; ++i) {
        Answer a = Put(*queue, i);
        a.Wait();
        if (!a.status().ok()) {
          EXPECT_EQ(a.status().code(), Code::kCancelled);
          return;
        }
        ++in;
      }
    });
    std::thread closer([&] { queue->Close(round % 2 == 0); });
    int64_t out = 0;
    for (;; ++out) {
      Answer a = Get(*queue);
      a.Wait();
      if (!a.status().ok()) {
        EXPECT_EQ(a.status().code(), Code::kOutOfRange);
        break;
      }
      EXPECT_EQ(a.value<int64_t>(), out);
    }
    producer.join();
    closer.join();
    EXPECT_EQ(in, out);
  }
}

// A reply may use the queue again: no lock is held while it runs.
TEST(QueueRaces, RepliesMayEnqueueAgain) {
  Ref<Queue> queue = MakeQueue(QueueOrder::kFifo, 1);
  int64_t rounds = 0;
  Answer last;
  std::function<void(Status, std::vector<Array>)> pump =
      [&](Status status, std::vector<Array> out) {
        ASSERT_TRUE(status.ok());
        rounds = out[0].data<int64_t>()[0];
        if (rounds == 100) return last.reply()(OkStatus(), {});
        queue->Dequeue(nullptr, pump);
        Put(*queue, rounds + 1);
      };
  queue->Dequeue(nullptr, pump);
  Put(*queue, 1);
  EXPECT_TRUE(last.status().ok());
  EXPECT_EQ(rounds, 100);
}

}  // namespace
}  // namespace sluice
