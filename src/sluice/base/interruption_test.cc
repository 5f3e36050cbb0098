#include "sluice/base/interruption.h"

#include <gtest/gtest.h>

namespace sluice {

namespace {

class Scope {
 public:
  explicit Scope(Interruption& now) : outer_(Interruption::SetCurrent(&now)) {}
  ~Scope() { Interruption::SetCurrent(outer_); }

 private:
  Interruption* outer_;
};

TEST(InterruptionTest, NobodyAsksOutside) {
  EXPECT_EQ(Interruption::Current(), nullptr);
  EXPECT_TRUE(Interruption::Check().ok());
  auto step = std::make_shared<Cancellation>();
  Interruption::Running running(step);
  EXPECT_EQ(step.use_count(), 1);
}

TEST(InterruptionTest, AStopIsSeenBetweenRounds) {
  Interruption interruption;
  Scope scope(interruption);
  EXPECT_TRUE(Interruption::Check().ok());
  interruption.Request();
  EXPECT_EQ(Interruption::Check().code(), Code::kCancelled);
  interruption.Clear();
  EXPECT_TRUE(Interruption::Check().ok());
}

TEST(InterruptionTest, StepsThatRunAreCancelled) {
  Interruption interruption;
  Scope scope(interruption);
  auto before = std::make_shared<Cancellation>();
  auto outer = std::make_shared<Cancellation>();
  auto inner = std::make_shared<Cancellation>();
  {
    Interruption::Running done(before);
  }
  Interruption::Running first(outer), second(inner);
  interruption.CancelSteps();
  EXPECT_FALSE(outer->cancelled());  // nobody asked
  interruption.Request();
  interruption.CancelSteps();
  EXPECT_FALSE(before->cancelled());
  EXPECT_TRUE(outer->cancelled());
  EXPECT_TRUE(inner->cancelled());
}

TEST(InterruptionTest, AStepThatBeginsTooLateIsCancelledAtOnce) {
  Interruption interruption;
  Scope scope(interruption);
  interruption.Request();
  auto step = std::make_shared<Cancellation>();
  Interruption::Running running(step);
  EXPECT_TRUE(step->cancelled());
}

}  // namespace

}  // namespace sluice
