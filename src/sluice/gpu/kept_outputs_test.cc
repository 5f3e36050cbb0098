#include "sluice/gpu/kept_outputs.h"

#include <gtest/gtest.h>

#include "sluice/device/device_allocator.h"
#include "sluice/device/devices.h"

namespace sluice {
namespace {

class KeptOutputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Device*> gpu = Devices::Find("gpu:0");
    if (!gpu.ok()) GTEST_SKIP() << gpu.status().message();
    allocator_ = &static_cast<DeviceAllocator&>((*gpu)->memory().allocator());
  }
  Array Take() { return *kept_.Take(0, DType::kF32, {1 << 18}, *allocator_); }

  DeviceAllocator* allocator_ = nullptr;
  KeptOutputs kept_;
};

TEST_F(KeptOutputsTest, LieWhereTheyLay) {
  void* first = Take().address();
  EXPECT_EQ(Take().address(), first);
  Array held = Take();
  EXPECT_EQ(held.address(), first);
  EXPECT_TRUE(held.unique());
  void* second = Take().address();
  EXPECT_NE(second, first);
  EXPECT_EQ(Take().address(), second);
}

TEST_F(KeptOutputsTest, AreNotHandedOutWhileALookIntoThemLives) {
  Array look = Take().WithShape({512, 512});
  EXPECT_NE(Take().address(), look.address());
}

TEST_F(KeptOutputsTest, MayOutliveWhatKeptThem) {
  auto kept = std::make_unique<KeptOutputs>();
  Array out = *kept->Take(0, DType::kF32, {64}, *allocator_);
  kept.reset();
  EXPECT_NE(out.address(), nullptr);
}

TEST_F(KeptOutputsTest, AreGivenBackWhereMemoryRunsOut) {
  (void)Take();
  int64_t limit = allocator_->limit();
  int64_t used = allocator_->stats().bytes_in_use;
  allocator_->SetLimit(used);
  Result<Array> other = Array::Make(DType::kF32, {1 << 17}, *allocator_);
  EXPECT_TRUE(other.ok()) << other.status().message();
  Result<Array> more = Array::Make(DType::kF32, {1 << 18}, *allocator_);
  EXPECT_FALSE(more.ok());
  allocator_->SetLimit(limit);
}

}  // namespace
}  // namespace sluice
