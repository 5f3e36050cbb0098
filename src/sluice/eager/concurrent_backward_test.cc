// What threads may share imperatively (docs/safety.md): leaves, yes; calls that
// gradients flow through, no.
#include <future>
#include <thread>

#include "sluice/eager/rows.h"
#include "sluice/front/front_test_util.h"
#include "sluice/ops.h"

namespace sluice {
namespace {

constexpr int kThreads = 4, kSteps = 100;

// Sums of small whole numbers are exact, in whatever order they are added.
TEST(ConcurrentBackward, LeavesMayBeShared) {
  Tensor w = ones({1000}).requires_grad_(), x = full({1000}, 2.0f).clone();
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      try {
        for (int i = 0; i < kSteps; ++i) sum(w * x + w).backward();
      } catch (const Error&) {
        ++failed;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(w.grad().to_vector<float>(),
            std::vector<float>(1000, 3.0f * kThreads * kSteps));
}

TEST(ConcurrentBackward, GradientsMayBeReadMeanwhile) {
  Tensor w = ones({1000}).requires_grad_();
  sum(w).backward();
  std::atomic<bool> over = false;
  std::thread reader([&] {
    while (!over) EXPECT_TRUE(w.grad().defined());
  });
  for (int i = 0; i < kSteps; ++i) sum(w).backward();
  over = true;
  reader.join();
  EXPECT_EQ(w.grad().to_vector<float>()[0], 1.0f + kSteps);
}

// The reason used to be a leaf, which is none.
TEST(ConcurrentBackward, OneCallOnTwoThreadsIsRefusedWithItsName) {
  Tensor w = ones({2}).requires_grad_();
  Tensor y = w * 2;
  std::promise<void> inside, go_on;
  y.register_hook([&](const Tensor&) {
    inside.set_value();
    go_on.get_future().wait();
    return Tensor();
  });
  std::thread first([&] { sum(y).backward(); });
  inside.get_future().wait();
  std::string text = ErrorOf([&] { sum(y * 3).backward(); });
  Contains(text, "another thread takes gradients through the same call of Mul");
  Contains(text, "leaves may be shared");
  go_on.set_value();
  first.join();
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{2, 2}));
}

}  // namespace
}  // namespace sluice
