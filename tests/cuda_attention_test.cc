// Fused attention against the CPU: on the emulated GPU under CTest, which sets
// SLUICE_CUDA_EMULATION, and on a real one without it.
#include <gtest/gtest.h>

#include "tests/cuda_attention_check.h"

namespace sluice {
namespace {

TEST(CudaAttention, GivesWhatTheCpuGivesAndTheSameBitsEveryTime) {
  Result<CudaAttentionReport> report = CheckCudaAttention();
  if (!report.ok() && report.status().code() == Code::kUnavailable) {
    GTEST_SKIP() << report.status().message();
  }
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_GT(report->cases, 10);
  for (const std::string& failure : report->failures) {
    ADD_FAILURE() << failure;
  }
}

}  // namespace
}  // namespace sluice
