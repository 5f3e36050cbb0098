#include "sluice/device/sim/failed_bytes.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// Any address does for a memory that is only compared.
Memory* const kA = reinterpret_cast<Memory*>(0x10);
Memory* const kB = reinterpret_cast<Memory*>(0x20);

ByteRange Range(Memory* memory, intptr_t begin, int64_t bytes) {
  return {memory, reinterpret_cast<void*>(begin), bytes};
}

TEST(FailedBytes, AreThoseOfTheRangeUntilSomebodyWritesThem) {
  FailedBytes failed;
  EXPECT_TRUE(failed.empty());
  failed.Add({Range(kA, 100, 50)}, Internal("first"));
  EXPECT_EQ(failed.Of({Range(kA, 0, 101)}).message(), "first");
  EXPECT_EQ(failed.Of({Range(kA, 149, 10)}).message(), "first");
  for (const ByteRange& good :
       {Range(kA, 0, 100), Range(kA, 150, 10), Range(kB, 100, 50)}) {
    EXPECT_TRUE(failed.Of({good}).ok());
  }
  failed.Remove({Range(kA, 110, 10)});
  EXPECT_TRUE(failed.Of({Range(kA, 110, 10)}).ok());
  EXPECT_FALSE(failed.Of({Range(kA, 109, 1)}).ok());
  EXPECT_FALSE(failed.Of({Range(kA, 120, 1)}).ok());
  failed.Add({Range(kA, 120, 5)}, Internal("second"));
  EXPECT_EQ(failed.Of({Range(kA, 121, 1)}).message(), "second");
  failed.Remove({Range(kA, 0, 1000)});
  EXPECT_TRUE(failed.empty());
}

TEST(FailedBytes, TheHostsAreItsOwn) {
  FailedBytes failed;
  failed.Add({Range(nullptr, 100, 50)}, Internal("told"));
  EXPECT_TRUE(failed.empty());
}

}  // namespace
}  // namespace sluice
