#include "sluice/op/kernel_times.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace sluice {
namespace {

const SourceLine kLine{"model.cc", "f", 7};

TEST(KernelTimes, NothingIsGatheredWhileNobodyAsks) {
  static const std::string kOp = "Quiet";
  {
    TimedKernel timed(kOp, kLine);
  }
  ASSERT_TRUE(KernelTimes::Begin().ok());
  EXPECT_TRUE(KernelTimes::End().empty());
}

TEST(KernelTimes, AKernelInsideOfAnotherIsNotTheOthersTime) {
  static const std::string kOuter = "Outer", kInner = "Inner";
  ASSERT_TRUE(KernelTimes::Begin().ok());
  {
    TimedKernel outer(kOuter, kLine);
    TimedKernel inner(kInner, kLine);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::vector<KernelTimes::Row> rows = KernelTimes::End();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].op, "Inner");
  EXPECT_GE(rows[0].seconds, 0.02);
  EXPECT_LT(rows[1].seconds, rows[0].seconds);
}

TEST(KernelTimes, KernelsWithoutALineRunForTheLineAroundThem) {
  static const std::string kOp = "Add";
  ASSERT_TRUE(KernelTimes::Begin().ok());
  {
    KernelsOfLine around(kLine);
    TimedKernel timed(kOp, {});
    timed.Did(10, 40);
  }
  {
    TimedKernel timed(kOp, kLine);
    timed.Did(1, 4);
  }
  std::vector<KernelTimes::Row> rows = KernelTimes::End();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].flops, 11);
  EXPECT_EQ(rows[0].bytes, 44);
  EXPECT_EQ(rows[0].line.line, 7);
}

TEST(KernelTimes, OneProfileAtATime) {
  ASSERT_TRUE(KernelTimes::Begin().ok());
  EXPECT_EQ(KernelTimes::Begin().code(), Code::kFailedPrecondition);
  KernelTimes::End();
}

TEST(KernelTimes, OtherThreadsAreToldButAreNotTheCallersTime) {
  static const std::string kOp = "Add";
  ASSERT_TRUE(KernelTimes::Begin().ok());
  std::thread([] {
    TimedKernel timed(kOp, kLine);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }).join();
  std::vector<KernelTimes::Row> rows = KernelTimes::End();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_GT(rows[0].seconds, 0);
  EXPECT_EQ(rows[0].caller_seconds, 0);
}

}  // namespace
}  // namespace sluice
