// The emulated GPU as a device: memory, streams, events, errors that are told
// late. CTest sets SLUICE_CUDA_EMULATION.
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "sluice/device/cuda_devices.h"
#include "sluice/device/cuda_outside.h"
#include "sluice/device/devices.h"
#include "sluice/eager/operators.h"
#include "sluice/launch/copy_between.h"
#include "sluice/session/device_models.h"
#include "sluice/sluice.h"

namespace sluice {
namespace {

class CudaEmulation : public testing::Test {
 protected:
  void SetUp() override {
    const char* wanted = std::getenv("SLUICE_CUDA_EMULATION");
    if (!wanted || std::string_view(wanted) != "1") {
      GTEST_SKIP() << "SLUICE_CUDA_EMULATION is not 1";
    }
    Result<Device*> found = Devices::Find("gpu:0");
    if (!found.ok()) GTEST_SKIP() << found.status().message();
    gpu_ = *found;
  }

  Device* gpu_ = nullptr;
};

Array Numbers(int64_t n) {
  Array a = *Array::Make(DType::kF32, {n});
  for (int64_t i = 0; i < n; ++i) {
    a.mutable_data<float>()[i] = static_cast<float>(i % 1000);
  }
  return a;
}

TEST_F(CudaEmulation, ArraysGoThereAndBack) {
  for (int64_t n : {0, 1, 1000, 20'000'000}) {
    Array here = Numbers(n);
    Result<Array> there = CopyTo(here, *gpu_);
    ASSERT_TRUE(there.ok()) << there.status().ToString();
    EXPECT_EQ(there->memory(), gpu_->array_memory());
    EXPECT_FALSE(there->on_host());
    EXPECT_TRUE(CopyTo(*there, CpuDevice())->BitEquals(here));
  }
}

TEST_F(CudaEmulation, MemoryThatIsNotThereIsRefused) {
  Result<Array> big =
      Array::Make(DType::kF32, {int64_t{1} << 29}, gpu_->memory().allocator());
  ASSERT_FALSE(big.ok());
  EXPECT_EQ(big.status().code(), Code::kResourceExhausted);
}

// Placement took it for a slow host with as much memory as one likes.
TEST_F(CudaEmulation, PlacementKnowsItsFigures) {
  CudaFigures figures = FiguresOf(*gpu_).value();
  DeviceModel model = ModelOf(*gpu_);
  // Two processors of 128 units at 1 GHz; 64 bytes at both edges of 1 GHz.
  EXPECT_EQ(model.flops_per_second, 2 * 128 * 2 * 1e9);
  EXPECT_EQ(model.bytes_per_second, 2 * 64 * 1e9);
  EXPECT_GT(model.memory_bytes, 0);
  EXPECT_LE(model.memory_bytes, figures.total_bytes);
  EXPECT_GT(LinkBetween(CpuDevice(), *gpu_).latency_seconds,
            LinkModel().latency_seconds);
}

TEST_F(CudaEmulation, OneStreamWaitsForAnother) {
  Stream& compute = gpu_->stream();
  Stream& other = gpu_->stream(StreamUse::kFromHost);
  Array here = Numbers(3'000'000);
  Array there = *CopyTo(here, *gpu_);
  Array copy =
      *Array::Make(DType::kF32, here.shape(), gpu_->memory().allocator());
  for (int i = 0; i < 20; ++i) {
    // Each begins where the one before it, on the other stream, has ended.
    Stream& first = i % 2 ? compute : other;
    Stream& second = i % 2 ? other : compute;
    first.Copy({&gpu_->memory(), copy.address()},
               {&gpu_->memory(), there.address()}, here.num_elements() * 4);
    second.WaitFor(first.Record());
    std::swap(copy, there);
  }
  EventRef last = compute.Record();
  ASSERT_TRUE(compute.Synchronize().ok());
  ASSERT_TRUE(other.Synchronize().ok());
  EXPECT_TRUE(last->Reached());
  EXPECT_TRUE(CopyTo(there, CpuDevice())->BitEquals(here));
}

TEST_F(CudaEmulation, CallsBackWhenTheWorkIsDone) {
  struct Seen {
    std::atomic<bool> called = false;
  } seen;
  Array here = Numbers(5'000'000);
  Array there = *CopyTo(here, *gpu_);
  Array copy =
      *Array::Make(DType::kF32, here.shape(), gpu_->memory().allocator());
  Stream& stream = gpu_->stream();
  stream.Copy({&gpu_->memory(), copy.address()},
              {&gpu_->memory(), there.address()}, here.num_elements() * 4);
  stream.Then([](void* s) { static_cast<Seen*>(s)->called = true; }, &seen);
  ASSERT_TRUE(stream.Synchronize().ok());
  EXPECT_TRUE(seen.called);
}

}  // namespace
}  // namespace sluice
