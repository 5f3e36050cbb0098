#include "sluice/device/cuda/late_checks.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "sluice/device/cuda/emulated/driver_table.h"
#include "sluice/device/fake_stream_test_util.h"

namespace sluice {
namespace {

// The memory is that of the emulated GPU: the test writes as a kernel would.
class LateChecksTest : public testing::Test {
 protected:
  void SetUp() override {
    auto& driver = const_cast<CudaDriver&>(CudaDriver::Get());
    if (!driver.cuInit) emulated::FillDriver(driver);
    ASSERT_TRUE(checks_.Begin().ok());
  }
  LateChecks::Finding Note(const std::string& who) {
    return [this, who](int64_t a, int64_t b) {
      told_ += who + " " + std::to_string(a) + "/" + std::to_string(b) + ", ";
    };
  }
  static void Find(CUdeviceptr slot, int64_t a, int64_t b) {
    auto* at = reinterpret_cast<LateChecks::Slot*>(slot);
    *at = {1, 0, a, b};
  }
  std::string Told() {
    checks_.Tell();
    return std::exchange(told_, "");
  }

  LateChecks checks_;
  FakeStream stream_{"compute"};
  std::string told_;
};

TEST_F(LateChecksTest, WhatIsFoundIsToldOnceTheWorkIsDone) {
  CUdeviceptr one = checks_.Take(Note("one"));
  checks_.Issued(stream_);
  CUdeviceptr two = checks_.Take(Note("two"));
  checks_.Issued(stream_);
  EXPECT_NE(one, two);
  Find(two, 7, 5);
  EXPECT_EQ(Told(), "");
  stream_.Finish();
  EXPECT_EQ(Told(), "two 7/5, ");
  EXPECT_EQ(Told(), "");
}

TEST_F(LateChecksTest, SlotsAreUsedAgainAndClean) {
  std::set<CUdeviceptr> slots;
  for (int i = 0; i < 5000; ++i) {
    CUdeviceptr slot = checks_.Take(Note("x"));
    EXPECT_EQ(reinterpret_cast<LateChecks::Slot*>(slot)->found, 0u);
    slots.insert(slot);
    checks_.Issued(stream_);
    Find(slot, i, 0);
    stream_.Finish();
  }
  EXPECT_LT(slots.size(), 2000u);
  EXPECT_NE(Told().find("x 4999/0, "), std::string::npos);
}

// They were 1,024 for good: the next launch waited for ever.
TEST_F(LateChecksTest, LaunchesThatFailedAndRecordingsUseNoneUp) {
  for (int i = 0; i < 3000; ++i) checks_.Take(Note("never issued"));
  std::vector<CUdeviceptr> kept;
  for (int i = 0; i < 3000; ++i) kept.push_back(checks_.Keep(Note("kept")));
  CUdeviceptr one = checks_.Take(Note("one"));
  checks_.Issued(stream_);
  Find(one, 7, 5);
  stream_.Finish();
  EXPECT_EQ(Told(), "one 7/5, ");
  // What is released still tells what was found before, and is used again.
  Find(kept[0], 1, 2);
  for (CUdeviceptr slot : kept) checks_.Release(slot, stream_);
  stream_.Finish();
  EXPECT_EQ(Told(), "kept 1/2, ");
  std::set<CUdeviceptr> known(kept.begin(), kept.end());
  CUdeviceptr again = checks_.Take(Note("again"));
  EXPECT_TRUE(known.contains(again) || again == one);
}

// Both threads have taken a slot before either has launched.
TEST_F(LateChecksTest, EachThreadIssuesItsOwn) {
  CUdeviceptr mine = checks_.Take(Note("mine"));
  std::thread([&] { checks_.Take(Note("theirs")); }).join();
  checks_.Issued(stream_);
  Find(mine, 1, 2);
  stream_.Finish();
  EXPECT_EQ(Told(), "mine 1/2, ");
}

TEST_F(LateChecksTest, WhatIsKeptIsToldEachTime) {
  CUdeviceptr slot = checks_.Keep(Note("kept"));
  EXPECT_EQ(Told(), "");
  Find(slot, 1, 2);
  EXPECT_EQ(Told(), "kept 1/2, ");
  EXPECT_EQ(Told(), "");
  Find(slot, 3, 4);
  EXPECT_EQ(Told(), "kept 3/4, ");
  EXPECT_NE(checks_.Take(Note("other")), slot);
}

}  // namespace
}  // namespace sluice
