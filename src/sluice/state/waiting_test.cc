#include "sluice/state/waiting.h"

#include "sluice/base/thread_annotations.h"
#include "sluice/state/state_test_util.h"

namespace sluice {
namespace {

TEST(Replies, ComeInOrderAfterTheLockIsGone) {
  Mutex mu;
  std::vector<int> order;
  auto note = [&](int i) {
    return [&order, &mu, i](Status, std::vector<Array>) {
      bool free = mu.try_lock();
      EXPECT_TRUE(free);
      if (free) mu.unlock();
      order.push_back(i);
    };
  };
  {
    Replies replies;
    MutexLock lock(mu);
    replies.Add({nullptr, note(1)}, OkStatus());
    replies.Add({nullptr, note(2)}, OkStatus());
    EXPECT_TRUE(order.empty());
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Replies, FinishRunsFirstAndLetsGoOfTheOutputs) {
  Array a = Array::Zeros(DType::kI64, {1});
  {
    Replies replies;
    std::vector<Array> outputs{a};
    replies.Add({nullptr,
                 [](Status, std::vector<Array> out) {
                   EXPECT_EQ(out[0].data<int64_t>()[0], 7);
                   EXPECT_TRUE(out[0].unique());
                 }},
                OkStatus(), std::move(outputs),
                [b = a] { b.mutable_data<int64_t>()[0] = 7; });
    a = Array();
  }
}

TEST(Replies, CancelledSaysWhy) {
  Cancellation cancellation;
  cancellation.Cancel(DeadlineExceeded("too slow"));
  Answer answer;
  {
    Replies().AddCancelled({&cancellation, answer.reply()},
                           [] { return std::string("the wait"); });
  }
  ExpectError(answer.status(), Code::kCancelled,
              "the wait was cancelled: too slow");
}

struct Pending {
  Waiter waiter;
  int value;
};

TEST(WaitLine, RemovesFromTheMiddleOnce) {
  WaitLine<Pending> line;
  for (int i = 0; i < 3; ++i) {
    Pending p{{nullptr, nullptr}, i};
    p.waiter.id = static_cast<uint64_t>(i) + 1;
    line.push(std::move(p));
  }
  EXPECT_EQ(line.Remove(2)->value, 1);
  EXPECT_FALSE(line.Remove(2).has_value());
  EXPECT_EQ(line.pop().value, 0);
  EXPECT_EQ(line.pop().value, 2);
  EXPECT_TRUE(line.empty());
}

}  // namespace
}  // namespace sluice
