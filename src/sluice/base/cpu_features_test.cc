#include "sluice/base/cpu_features.h"

#include <gtest/gtest.h>

#include "sluice/base/amx.h"

namespace sluice {
namespace {

TEST(CpuFeatures, BetterFeaturesComeWithTheLevelTheyNeed) {
  const CpuFeatures& f = Cpu();
  if (f.avx512_bf16 || f.avx512_vnni) {
    EXPECT_EQ(f.level, CpuLevel::kAvx512);
  }
  if (AmxAllowed()) {
    EXPECT_EQ(f.level, CpuLevel::kAvx512);
    EXPECT_TRUE(f.ToString().ends_with(" amx"));
  }
  EXPECT_FALSE(f.ToString().empty());
#if defined(__aarch64__)
  EXPECT_EQ(f.level, CpuLevel::kBaseline);
  EXPECT_EQ(f.ToString().substr(0, 4), "neon");
#else
  EXPECT_FALSE(f.neon_f16 || f.neon_bf16 || f.neon_i8mm || f.neon_dotprod);
#endif
}

}  // namespace
}  // namespace sluice
