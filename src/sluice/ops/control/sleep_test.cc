#include <gtest/gtest.h>

#include <thread>

#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

Result<std::vector<Array>> SleepFor(int64_t micros,
                                    Cancellation* cancellation) {
  StepContext step;
  step.cancellation = cancellation;
  Array x = Array::Scalar(3.0f);
  return RunOp(*FindOp("Sleep"), {{"micros", micros}}, {&x, 1}, &step);
}

constexpr int64_t kForever = int64_t{1} << 40;

TEST(Sleep, GivesItsInputBack) {
  Cancellation cancellation;
  auto out = SleepFor(100, &cancellation);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ((*out)[0].data<float>()[0], 3.0f);
  EXPECT_TRUE(cancellation.Cancel(Cancelled("late")));  // nothing left to wake
}

TEST(Sleep, CancelledBeforeItStarts) {
  Cancellation cancellation;
  cancellation.Cancel(Cancelled("stop"));
  auto out = SleepFor(kForever, &cancellation);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.status().code(), Code::kCancelled);
}

TEST(Sleep, CancelledWhileAsleep) {
  Cancellation cancellation;
  std::thread other([&] { cancellation.Cancel(Cancelled("stop")); });
  auto out = SleepFor(kForever, &cancellation);
  other.join();
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.status().message(), "stop");
}

// Timer and cancellation finish together: exactly one of them may win.
TEST(Sleep, RacesWithCancellation) {
  for (int i = 0; i < 200; ++i) {
    Cancellation cancellation;
    std::thread other([&] { cancellation.Cancel(Cancelled("stop")); });
    auto out = SleepFor(i % 60, &cancellation);
    other.join();
    EXPECT_TRUE(out.ok() || out.status().code() == Code::kCancelled);
  }
}

}  // namespace
}  // namespace sluice
