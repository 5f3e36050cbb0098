// Closed queues and cancelled steps.
#include "sluice/state/queue_test_util.h"

namespace sluice {
namespace {

TEST(QueueClose, CloseLetsDequeuesDrain) {
  QueueFixture f;
  f.PutMany({1, 2, 3});
  EXPECT_FALSE(f.queue->closed());
  f.queue->Close(false);
  EXPECT_TRUE(f.queue->closed());
  EXPECT_EQ(f.Get().value<int64_t>(), 1);
  ExpectError(f.GetMany(5).status(), Code::kOutOfRange,
              "queue \"q\" is closed and has insufficient elements (requested "
              "5, current size 2)");
  EXPECT_EQ(f.GetMany(2).values<int64_t>(), (I64s{2, 3}));
  ExpectError(f.Get().status(), Code::kOutOfRange,
              "(requested 1, current size 0)");
  f.queue->Close(false);  // once more changes nothing
}

TEST(QueueClose, CloseRefusesLaterEnqueues) {
  QueueFixture f;
  f.queue->Close(false);
  ExpectError(f.Put(1).status(), Code::kCancelled, "queue \"q\" is closed");
  ExpectError(f.PutMany({1, 2}).status(), Code::kCancelled, "is closed");
  EXPECT_EQ(f.queue->size(), 0);
}

TEST(QueueClose, CloseFailsDequeuesThatWait) {
  QueueFixture f;
  Answer one = f.Get(), many = f.GetMany(2);
  f.queue->Close(false);
  ExpectError(one.status(), Code::kOutOfRange, "insufficient elements");
  ExpectError(many.status(), Code::kOutOfRange, "insufficient elements");
}

TEST(QueueClose, EnqueuesThatWaitedBeforeTheCloseStillGoIn) {
  QueueFixture f(1);
  f.Put(1);
  Answer in = f.PutMany({2, 3, 4});
  f.queue->Close(false);
  EXPECT_TRUE(in.pending());
  EXPECT_EQ(f.GetMany(3).values<int64_t>(), (I64s{1, 2, 3}));
  EXPECT_TRUE(in.status().ok());
  EXPECT_EQ(f.Get().value<int64_t>(), 4);
  ExpectError(f.Get().status(), Code::kOutOfRange, "is closed");
}

TEST(QueueClose, CancelPendingFailsEnqueuesThatWait) {
  QueueFixture f(1);
  f.Put(1);
  Answer in = f.Put(2), more = f.PutMany({3, 4});
  f.queue->Close(true);
  ExpectError(in.status(), Code::kCancelled, "was cancelled");
  ExpectError(more.status(), Code::kCancelled, "was cancelled");
  EXPECT_EQ(f.Get().value<int64_t>(), 1);
  ExpectError(f.Get().status(), Code::kOutOfRange, "is closed");
}

TEST(QueueClose, ASecondCloseMayCancelWhatTheFirstLeft) {
  QueueFixture f(1);
  f.Put(1);
  Answer in = f.Put(2);
  f.queue->Close(false);
  EXPECT_TRUE(in.pending());
  f.queue->Close(true);
  ExpectError(in.status(), Code::kCancelled, "was cancelled");
}

TEST(QueueClose, ABlockedBatchGivesBackWhatItGatheredOnClose) {
  // Capacity 2, so that the waiting batch must take elements out early.
  QueueFixture f(2);
  Answer batch = f.GetMany(5);
  Answer next = f.GetMany(2);
  EXPECT_TRUE(f.PutMany({1, 2, 3, 4}).status().ok());
  f.queue->Close(false);
  ExpectError(batch.status(), Code::kOutOfRange,
              "(requested 5, current size 4)");
  EXPECT_EQ(next.values<int64_t>(), (I64s{1, 2}));
  EXPECT_EQ(f.queue->size(), 2);
  EXPECT_EQ(f.Get().value<int64_t>(), 3);
  EXPECT_EQ(f.Get().value<int64_t>(), 4);
}

TEST(QueueClose, UpToGivesTheRestAfterClose) {
  QueueFixture f;
  f.PutMany({1, 2, 3});
  Answer waiting = f.GetMany(5, true);
  EXPECT_TRUE(waiting.pending());
  f.queue->Close(false);
  EXPECT_EQ(waiting.values<int64_t>(), (I64s{1, 2, 3}));
  ExpectError(f.GetMany(5, true).status(), Code::kOutOfRange,
              "(requested 5, current size 0)");
}

TEST(QueueClose, UpToTakesNoMoreThanAsked) {
  QueueFixture f;
  f.PutMany({1, 2, 3});
  EXPECT_EQ(f.GetMany(2, true).values<int64_t>(), (I64s{1, 2}));
  f.queue->Close(false);
  EXPECT_EQ(f.GetMany(2, true).values<int64_t>(), (I64s{3}));
}

TEST(QueueClose, CancellingAStepEndsItsWaits) {
  QueueFixture f(1);
  Cancellation step;
  Answer out = f.Get(&step), others = f.Get();
  step.Cancel(Aborted("stop"));
  ExpectError(out.status(), Code::kCancelled,
              "dequeue on queue \"q\" was cancelled: stop");
  f.Put(1);
  EXPECT_EQ(others.value<int64_t>(), 1);

  f.Put(2);
  Cancellation second;
  Answer in = f.Put(3, &second);
  second.Cancel(Aborted("stop"));
  ExpectError(in.status(), Code::kCancelled, "enqueue on queue \"q\"");
  EXPECT_EQ(f.queue->size(), 1);
}

TEST(QueueClose, ACancelledStepDoesNotStartToWait) {
  QueueFixture f;
  Cancellation step;
  step.Cancel(Aborted("stop"));
  ExpectError(f.Get(&step).status(), Code::kCancelled, "stop");
  EXPECT_TRUE(f.Put(1).status().ok());
  EXPECT_EQ(f.Get().value<int64_t>(), 1);
}

TEST(QueueClose, ACancelledBatchGivesBackWhatItGathered) {
  QueueFixture f(2);
  Cancellation step;
  Answer batch = f.GetMany(5, false, &step), next = f.GetMany(4);
  f.PutMany({1, 2, 3, 4});
  step.Cancel(Aborted("stop"));
  ExpectError(batch.status(), Code::kCancelled, "stop");
  EXPECT_EQ(next.values<int64_t>(), (I64s{1, 2, 3, 4}));
}

TEST(QueueClose, ACancelledBatchInKeepsWhatIsInAlready) {
  QueueFixture f(2);
  Cancellation step;
  Answer in = f.PutMany({1, 2, 3}, &step);
  Answer behind = f.Put(9);
  step.Cancel(Aborted("stop"));
  ExpectError(in.status(), Code::kCancelled, "stop");
  EXPECT_EQ(f.GetMany(3).values<int64_t>(), (I64s{1, 2, 9}));
  EXPECT_TRUE(behind.status().ok());
}

TEST(QueueClose, CancellingAfterTheAnswerDoesNothing) {
  QueueFixture f;
  Cancellation step;
  Answer out = f.Get(&step);
  f.Put(1);
  EXPECT_EQ(out.value<int64_t>(), 1);
  step.Cancel(Aborted("late"));
  EXPECT_EQ(out.count(), 1);
}

TEST(QueueClose, DestroyingItAnswersThoseWhoWait) {
  Answer out;
  {
    QueueFixture f;
    out = f.Get();
  }
  ExpectError(out.status(), Code::kCancelled, "was cancelled");
}

}  // namespace
}  // namespace sluice
