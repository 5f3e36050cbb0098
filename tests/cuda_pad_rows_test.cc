// Rows with zeros around them and back (kernels/cuda/source/pad_rows.cuh),
// which only products by a library use: on the emulated GPU under CTest.
#include <gtest/gtest.h>

#include <numeric>

#include "sluice/device/devices.h"
#include "sluice/device/stream_order.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/move.h"
#include "sluice/launch/copy_between.h"
#include "sluice/op/record.h"

namespace sluice {
namespace {

// As source/pad_rows.cuh has it.
struct PadArgs {
  const void* from;
  void* to;
  int64_t rows, columns, from_step, to_rows, to_step;
};

class PadRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Device*> gpu = Devices::Find("gpu:0");
    if (!gpu.ok()) GTEST_SKIP() << gpu.status().message();
    gpu_ = *gpu;
  }
  Array There(const Shape& shape) {
    return *Array::Make(DType::kI16, shape, gpu_->memory().allocator());
  }

  void Launch(const char* name, const PadArgs& args) {
    OpRecord op;
    Attrs attrs;
    NodeInfo node;
    StepContext step;
    KernelContext ctx(op, attrs, node, step, {}, {});
    ctx.set_device(gpu_, &gpu_->stream());
    Result<CUfunction> kernel =
        FileFunction(GpuOf(ctx), "pad_rows.cuh", MovedType(2), name);
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    ASSERT_TRUE(LaunchCuda(ctx, *kernel, {3, 32}, args).ok());
    ASSERT_TRUE(gpu_->stream().Synchronize().ok());
  }

  Device* gpu_ = nullptr;
};

TEST_F(PadRowsTest, ThereAndBack) {
  constexpr int64_t kRows = 5, kColumns = 67, kToRows = 8, kStep = 72;
  Array x = *Array::Make(DType::kI16, {kRows, kColumns});
  std::iota(x.mutable_data<int16_t>(),
            x.mutable_data<int16_t>() + x.num_elements(), int16_t{1});
  Array from = *CopyTo(x, *gpu_);
  BeforeRead(gpu_->stream(), from);  // it came on another stream
  Array wide = There({kToRows, kStep});
  Launch("pad_rows", {from.address(), wide.address(), kRows, kColumns, kColumns,
                      kToRows, kStep});
  Array seen = *CopyTo(wide, CpuDevice());
  for (int64_t r = 0; r < kToRows; ++r) {
    for (int64_t c = 0; c < kStep; ++c) {
      int64_t want = r < kRows && c < kColumns ? r * kColumns + c + 1 : 0;
      ASSERT_EQ(seen.data<int16_t>()[r * kStep + c], want) << r << " " << c;
    }
  }
  Array back = There({kRows, kColumns});
  Launch("cut_rows", {wide.address(), back.address(), kRows, kColumns, kStep,
                      kToRows, kColumns});
  Array again = *CopyTo(back, CpuDevice());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    ASSERT_EQ(again.data<int16_t>()[i], x.data<int16_t>()[i]) << i;
  }
}

}  // namespace
}  // namespace sluice
