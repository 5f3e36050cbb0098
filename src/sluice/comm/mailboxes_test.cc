#include "sluice/comm/mailboxes.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>

#include "sluice/base/sanitizers.h"
#include "sluice/tensor/allocator.h"

namespace sluice {
namespace {

// One call with the number of its answers and the status.
struct Call {
  std::atomic<int> answers{0};
  Status status;
  Array value;

  static void Sent(void* context, Status status) {
    auto& call = *static_cast<Call*>(context);
    call.status = std::move(status);
    call.answers.fetch_add(1, std::memory_order_release);
  }
  static void Received(void* context, Status status, Array value) {
    static_cast<Call*>(context)->value = std::move(value);
    Sent(context, std::move(status));
  }
  bool answered() const { return answers.load(std::memory_order_acquire) > 0; }
};

void Send(Mailboxes& boxes, MessageKey key, Array value, Call& call) {
  boxes.Send(key, std::move(value), {Call::Sent, &call});
}
void Receive(Mailboxes& boxes, MessageKey key, Call& call) {
  boxes.Receive(key, {Call::Received, &call});
}

TEST(Mailboxes, AMessageWaitsForItsReceiver) {
  Mailboxes boxes;
  Call sent, received;
  Send(boxes, {1, 7}, Array::Scalar(3.0f), sent);
  EXPECT_TRUE(sent.answered());
  EXPECT_EQ(boxes.waiting_messages(), 1);
  EXPECT_EQ(boxes.waiting_bytes(), 4);
  Receive(boxes, {1, 7}, received);
  ASSERT_TRUE(received.answered());
  EXPECT_TRUE(received.status.ok());
  EXPECT_EQ(*received.value.data<float>(), 3.0f);
  EXPECT_EQ(boxes.waiting_messages(), 0);
  EXPECT_EQ(boxes.waiting_bytes(), 0);
}

TEST(Mailboxes, AReceiverWaitsForItsMessage) {
  Mailboxes boxes;
  Call other_tag, other_edge, received;
  Receive(boxes, {1, 7}, received);
  EXPECT_FALSE(received.answered());
  EXPECT_EQ(boxes.waiting_calls(), 1);
  EXPECT_EQ(boxes.awaited(), (std::vector<MessageKey>{{1, 7}}));
  Send(boxes, {1, 8}, Array::Scalar(1.0f), other_tag);
  Send(boxes, {2, 7}, Array::Scalar(2.0f), other_edge);
  EXPECT_FALSE(received.answered());
  Call sent;
  Send(boxes, {1, 7}, Array::Scalar(3.0f), sent);
  ASSERT_TRUE(received.answered());
  EXPECT_EQ(*received.value.data<float>(), 3.0f);
  EXPECT_EQ(boxes.waiting_messages(), 2);
  EXPECT_EQ(boxes.waiting_calls(), 0);
  boxes.Reset();
  EXPECT_EQ(boxes.waiting_messages(), 0);
  EXPECT_EQ(boxes.waiting_bytes(), 0);
}

TEST(Mailboxes, ASendBeyondTheCapIsAnsweredWhenItsMessageIsTaken) {
  Mailboxes boxes({.max_waiting_bytes = 8});
  std::deque<Call> sent(4);
  for (uint64_t i = 0; i < 4; ++i) {
    Send(boxes, {0, i}, Array::Scalar(static_cast<float>(i)), sent[i]);
  }
  EXPECT_TRUE(sent[0].answered() && sent[1].answered());
  EXPECT_FALSE(sent[2].answered() || sent[3].answered());
  EXPECT_EQ(boxes.waiting_messages(), 4);
  EXPECT_EQ(boxes.waiting_calls(), 2);
  Call first, last;
  Receive(boxes, {0, 0}, first);
  EXPECT_FALSE(sent[2].answered());
  Receive(boxes, {0, 3}, last);
  EXPECT_EQ(*last.value.data<float>(), 3.0f);
  EXPECT_TRUE(sent[3].answered() && sent[3].status.ok());
  // A message with a waiting receiver is never stored.
  Call waits, large;
  Receive(boxes, {5, 0}, waits);
  Send(boxes, {5, 0}, Array::Zeros(DType::kF32, {100}), large);
  EXPECT_TRUE(waits.answered() && large.answered());
  boxes.Abort(Cancelled("over"));
  EXPECT_EQ(sent[2].answers, 1);
  EXPECT_EQ(sent[2].status.message(), "over");
}

TEST(Mailboxes, ManySmallMessagesAreHeldUp) {
  Mailboxes boxes({.max_waiting_messages = 3});
  std::deque<Call> sent(5);
  for (uint64_t i = 0; i < 5; ++i) {
    Send(boxes, {0, i}, Array::Scalar(true), sent[i]);
    EXPECT_EQ(sent[i].answered(), i < 3);
  }
  Call received;
  Receive(boxes, {0, 4}, received);
  EXPECT_TRUE(sent[4].answered());
  EXPECT_FALSE(sent[3].answered());
  boxes.Abort(Cancelled("over"));
}

TEST(Mailboxes, TheFirstErrorReachesAllThatWaitAndAllThatCome) {
  Mailboxes boxes({.max_waiting_bytes = 0});
  std::deque<Call> waiting(20), held(20);
  for (uint64_t i = 0; i < 20; ++i) {
    Receive(boxes, {1, i}, waiting[i]);
    Send(boxes, {2, i}, Array::Scalar(1.0f), held[i]);
  }
  boxes.Abort(InvalidArgument("[Div] the first"));
  boxes.Abort(InvalidArgument("[Div] the second"));
  for (const auto* calls : {&waiting, &held}) {
    for (const Call& call : *calls) {
      EXPECT_EQ(call.answers, 1);
      EXPECT_EQ(call.status.code(), Code::kInvalidArgument);
      EXPECT_EQ(call.status.message(), "[Div] the first");
    }
  }
  Call sent, received;
  Send(boxes, {3, 0}, Array::Scalar(1.0f), sent);
  Receive(boxes, {2, 0}, received);
  EXPECT_EQ(sent.status.message(), "[Div] the first");
  EXPECT_EQ(received.status.message(), "[Div] the first");
  EXPECT_EQ(boxes.error().message(), "[Div] the first");
  EXPECT_EQ(boxes.waiting_messages(), 0);
  EXPECT_EQ(boxes.waiting_calls(), 0);
  EXPECT_EQ(boxes.waiting_bytes(), 0);
  boxes.Reset();
  EXPECT_TRUE(boxes.error().ok());
  Call again;
  Send(boxes, {3, 0}, Array::Scalar(1.0f), again);
  EXPECT_TRUE(again.status.ok());
}

TEST(Mailboxes, AKeyIsSentOnceAndReceivedOnce) {
  Mailboxes boxes;
  Call a, b, c, d;
  Send(boxes, {4, 9}, Array::Scalar(1.0f), a);
  Send(boxes, {4, 9}, Array::Scalar(1.0f), b);
  EXPECT_EQ(b.status.message(),
            "[Mailboxes] edge 4 was sent twice in the iteration with tag 9");
  Receive(boxes, {5, 9}, c);
  Receive(boxes, {5, 9}, d);
  EXPECT_EQ(d.status.message(),
            "[Mailboxes] edge 5 was received twice in the iteration with tag "
            "9");
  boxes.Abort(Cancelled("over"));
}

constexpr int kThreads = 4;
constexpr uint64_t kMessages = SL_TSAN || SL_ASAN ? 4000 : 40000;

// Every thread sends its own share and receives another's, in its own order.
// `abort_at` >= 0: the first thread aborts at that point.
void Hammer(uint32_t seed, int64_t abort_at) {
  Mailboxes boxes({.max_waiting_bytes = 64});
  std::deque<Call> sent(kThreads * kMessages), received(kThreads * kMessages);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(seed + static_cast<uint32_t>(t));
      for (uint64_t i = 0; i < kMessages; ++i) {
        if (t == 0 && static_cast<int64_t>(i) == abort_at) {
          boxes.Abort(Cancelled("enough"));
        }
        auto send = [&] {
          size_t at = static_cast<size_t>(t) * kMessages + i;
          Send(boxes, {static_cast<uint32_t>(t), i},
               Array::Scalar(static_cast<int64_t>(at)), sent[at]);
        };
        auto receive = [&] {
          auto from = static_cast<uint32_t>((t + 1) % kThreads);
          size_t at = from * kMessages + i;
          Receive(boxes, {from, i}, received[at]);
        };
        bool first = random() % 2;
        if (first) send();
        receive();
        if (!first) send();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t at = 0; at < sent.size(); ++at) {
    ASSERT_EQ(sent[at].answers, 1);
    ASSERT_EQ(received[at].answers, 1);
    if (abort_at < 0) {
      ASSERT_TRUE(sent[at].status.ok() && received[at].status.ok());
    }
    if (received[at].status.ok()) {
      ASSERT_EQ(*received[at].value.data<int64_t>(), static_cast<int64_t>(at));
    } else {
      ASSERT_EQ(received[at].status.message(), "enough");
    }
  }
  EXPECT_EQ(boxes.waiting_messages(), 0);
  EXPECT_EQ(boxes.waiting_calls(), 0);
  EXPECT_EQ(boxes.waiting_bytes(), 0);
}

TEST(Mailboxes, FromManyThreadsEachMessageArrivesOnce) { Hammer(1, -1); }

TEST(Mailboxes, FromManyThreadsAnAbortAnswersEachCallOnce) {
  for (uint32_t seed = 1; seed <= 5; ++seed) {
    Hammer(seed, static_cast<int64_t>(seed * kMessages / 7));
  }
}

}  // namespace
}  // namespace sluice
