// Memory runs out while steps wait for each other: queues, barriers,
// accumulators and locks. Expected for every n: each operation is answered
// once, or its call throws; nothing waits forever.
#include <optional>
#include <string>

#include "sluice/base/error.h"
#include "sluice/base/failing_allocation_test_util.h"
#include "sluice/state/accumulator.h"
#include "sluice/state/barrier.h"
#include "sluice/state/mutex_resource.h"
#include "sluice/state/queue.h"

namespace sluice {
namespace {

// Waiting operations, each of which must be answered once.
class Asked {
 public:
  // call(reply) starts an operation; an exception counts as an answer.
  template <class F>
  void Ask(F call) {
    int* answers = &answers_[count_++];
    try {
      call([answers](Status, std::vector<Array>) { ++*answers; });
    } catch (const std::bad_alloc&) {
      ++*answers;
    } catch (const Error&) {
      ++*answers;
    }
  }
  void ExpectOneAnswerEach() const {
    for (int i = 0; i < count_; ++i) EXPECT_EQ(answers_[i], 1) << i;
  }

 private:
  static constexpr int kMost = 32;
  int answers_[kMost] = {};
  int count_ = 0;
};

// `play` starts operations; afterwards its cancellation wakes all remaining
// waiters.
template <class Play>
void EveryoneIsAnswered(Play play) {
  std::optional<Asked> asked;
  ForEveryAllocation(
      [&]() -> Status {
        asked.emplace();
        Cancellation cancellation;
        Status status = Guarded([&] { return play(*asked, cancellation); });
        int64_t left = fail_at.exchange(0);
        cancellation.Cancel(Aborted("over"));
        fail_at = left;
        return failed.load() > 0 ? NoMemory() : status;
      },
      [&] { asked->ExpectOneAnswerEach(); });
}

Array Number(int64_t i) { return Array::Scalar<int64_t>(i); }

Status PlayQueue(QueueOrder order, Asked& asked, Cancellation& c) {
  QueueSpec spec;
  spec.tuple.dtypes = {DType::kI64};
  spec.tuple.shapes = {PartialShape(Shape{})};
  spec.capacity = 2;
  spec.order = order;
  SL_ASSIGN_OR_RETURN(Ref<Queue> queue, Queue::Make("q", spec));
  Array many = Array::Of<int64_t>({3}, {{1, 2, 3}});
  Array one = Number(4);
  asked.Ask([&](Reply r) { queue->Dequeue(&c, std::move(r)); });
  asked.Ask([&](Reply r) { queue->EnqueueMany({&many, 1}, &c, std::move(r)); });
  asked.Ask([&](Reply r) { queue->Enqueue({&one, 1}, &c, std::move(r)); });
  asked.Ask([&](Reply r) { queue->EnqueueMany({&many, 1}, &c, std::move(r)); });
  asked.Ask([&](Reply r) { queue->DequeueMany(3, false, &c, std::move(r)); });
  asked.Ask([&](Reply r) { queue->DequeueMany(9, true, &c, std::move(r)); });
  asked.Ask([&](Reply r) { queue->Dequeue(&c, std::move(r)); });
  asked.Ask([&](Reply r) { queue->EnqueueMany({&many, 1}, &c, std::move(r)); });
  queue->Close(true);
  asked.Ask([&](Reply r) { queue->DequeueMany(5, false, &c, std::move(r)); });
  asked.Ask([&](Reply r) { queue->Enqueue({&one, 1}, &c, std::move(r)); });
  return OkStatus();
}

TEST(FailingWaits, EveryOperationOfAQueueIsAnswered) {
  for (QueueOrder order :
       {QueueOrder::kFifo, QueueOrder::kShuffle, QueueOrder::kPriority}) {
    EveryoneIsAnswered(
        [&](Asked& a, Cancellation& c) { return PlayQueue(order, a, c); });
  }
}

// A text too long to be stored inside a std::string, so that copying it may
// fail.
Array Text(int i) {
  return Array::Scalar<std::string>("the element with the number " +
                                    std::to_string(i));
}

// The elements that went in and came out, according to the replies.
struct Tally {
  Ref<Queue> queue;
  int in = 0;
  int64_t out = 0;

  void Put(int i) {
    (void)Guarded([&]() -> Status {
      Array text = Text(i);
      queue->Enqueue(
          {&text, 1}, nullptr,
          [this](const Status& s, const std::vector<Array>&) { in += s.ok(); });
      return OkStatus();
    });
  }
  void Get(int64_t n, Cancellation* c) {
    (void)Guarded([&]() -> Status {
      queue->DequeueMany(n, false, c,
                         [this](const Status& s, const std::vector<Array>& y) {
                           if (s.ok()) out += y[0].dim(0);
                         });
      return OkStatus();
    });
  }
};

// A dequeue with gathered elements is cancelled while no memory is available:
// the elements are returned, in order. They used to be lost without notice.
TEST(FailingWaits, ElementsOfADequeueThatIsCancelledAreNotLost) {
  for (QueueOrder order : {QueueOrder::kFifo, QueueOrder::kShuffle}) {
    std::optional<Tally> tally;
    ForEveryAllocation(
        [&]() -> Status {
          tally.emplace();
          QueueSpec spec;
          spec.tuple = {{DType::kString}, {PartialShape::Scalar()}, {}};
          spec.capacity = 2;
          spec.order = order;
          SL_ASSIGN_OR_RETURN(tally->queue, Queue::Make("q", spec));
          Status over = Aborted("over");
          Cancellation cancellation;
          for (int i = 0; i < 5; ++i) tally->Put(i);
          tally->Get(9, &cancellation);  // gathers 4, so that all get in
          tally->Put(5);                 // where space was
          cancellation.Cancel(std::move(over));
          tally->Get(3, nullptr);
          return failed.load() > 0 ? NoMemory() : OkStatus();
        },
        [&] {
          if (!tally->queue) return;
          int64_t left = tally->queue->size();
          EXPECT_EQ(tally->in, tally->out + left);
          std::string last;
          for (; left > 0; --left) {
            tally->queue->Dequeue(
                nullptr, [&](const Status&, const std::vector<Array>& y) {
                  const std::string& text = y[0].data<std::string>()[0];
                  if (order == QueueOrder::kFifo) EXPECT_LT(last, text);
                  last = text;
                });
          }
        });
  }
}

TEST(FailingWaits, ElementsOfABarriersFailedTakeAreNotLost) {
  Ref<Barrier> barrier;
  int64_t in = 0, out = 0;
  ForEveryAllocation(
      [&]() -> Status {
        in = out = 0;
        barrier = nullptr;
        TupleSpec spec{{DType::kString}, {Shape{}}, {}};
        SL_ASSIGN_OR_RETURN(barrier, Barrier::Make("b", spec));
        std::string names[] = {"first", "second", "third"};
        Array keys = Array::Of<std::string>({3}, std::span<std::string>(names));
        for (std::string& name : names) name += " in a text of some length";
        Array rows = Array::Of<std::string>({3}, std::span<std::string>(names));
        SL_RETURN_IF_ERROR(
            Guarded([&] { return barrier->Insert(0, keys, rows); }));
        in = 3;
        barrier->Take(2, false, nullptr,
                      [&](const Status& s, const std::vector<Array>& y) {
                        if (s.ok()) out += y[0].dim(0);
                      });
        return failed.load() > 0 ? NoMemory() : OkStatus();
      },
      [&] {
        if (barrier) EXPECT_EQ(in, out + barrier->ready_size());
      });
}

TEST(FailingWaits, EveryTakeFromABarrierIsAnswered) {
  EveryoneIsAnswered([](Asked& asked, Cancellation& c) -> Status {
    TupleSpec spec{{DType::kI64, DType::kI64}, {Shape{}, Shape{}}, {}};
    SL_ASSIGN_OR_RETURN(Ref<Barrier> barrier, Barrier::Make("b", spec));
    std::string names[] = {"first", "second", "a third with a long name"};
    Array keys = Array::Of<std::string>({3}, std::span<std::string>(names));
    Array values = Array::Of<int64_t>({3}, {{1, 2, 3}});
    asked.Ask([&](Reply r) { barrier->Take(2, false, &c, std::move(r)); });
    Status first = Guarded([&] { return barrier->Insert(0, keys, values); });
    // All of them or none.
    EXPECT_EQ(barrier->incomplete_size(), first.ok() ? 3 : 0);
    if (!first.ok()) return first;
    asked.Ask([&](Reply r) { barrier->Take(1, true, &c, std::move(r)); });
    Status second = Guarded([&] { return barrier->Insert(1, keys, values); });
    EXPECT_EQ(barrier->incomplete_size(), second.ok() ? 0 : 3);
    asked.Ask([&](Reply r) { barrier->Take(4, false, &c, std::move(r)); });
    barrier->Close(true);
    return second;
  });
}

TEST(FailingWaits, EveryTakeFromAnAccumulatorIsAnswered) {
  EveryoneIsAnswered([](Asked& asked, Cancellation& c) -> Status {
    SL_ASSIGN_OR_RETURN(Ref<Accumulator> sums,
                        Accumulator::Make("a", DType::kF32, Shape{4},
                                          AccumulatorReduction::kMean));
    SL_ASSIGN_OR_RETURN(Array g, Array::Make(DType::kF32, Shape{4}));
    for (int i = 0; i < 4; ++i) g.mutable_data<float>()[i] = 1;
    asked.Ask([&](Reply r) { sums->Take(2, &c, std::move(r)); });
    asked.Ask([&](Reply r) { sums->Take(1, &c, std::move(r)); });
    for (int i = 0; i < 4; ++i) SL_RETURN_IF_ERROR(sums->Apply(9, g));
    asked.Ask([&](Reply r) { sums->Take(5, &c, std::move(r)); });
    return OkStatus();
  });
}

// A lock whose ticket could not be created stays free.
TEST(FailingWaits, ALockIsNeverHeldByNobody) {
  EveryoneIsAnswered([](Asked& asked, Cancellation& c) -> Status {
    auto mutex = MakeRef<MutexResource>("m");
    int64_t tickets[3] = {};
    for (int64_t& ticket : tickets) {
      asked.Ask([&](Reply r) {
        mutex->Acquire(&c, [&ticket, r](Status s, std::vector<Array> out) {
          if (s.ok()) ticket = out[0].data<int64_t>()[0];
          r(std::move(s), {});
        });
      });
    }
    for (const int64_t& ticket : tickets) {
      if (ticket != 0) {
        EXPECT_TRUE(mutex->held());
        EXPECT_TRUE(mutex->Unlock(ticket).ok());
      }
    }
    EXPECT_FALSE(mutex->held());
    return OkStatus();
  });
}

}  // namespace
}  // namespace sluice
