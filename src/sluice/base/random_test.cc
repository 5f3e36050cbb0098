#include "sluice/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice {
namespace {

// Published test vectors for Philox4x32-10.
TEST(Random, PhiloxKnownAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, 0, 0),
            (RandomBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox({kOnes, kOnes, kOnes, kOnes}, kOnes, kOnes),
            (RandomBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, EveryPartOfTheKeyMatters) {
  RandomBlock first = RandomBits(RandomKey::Of(1, 2, 3, 4), 5);
  EXPECT_EQ(first, RandomBits(RandomKey::Of(1, 2, 3, 4), 5));
  EXPECT_NE(first, RandomBits(RandomKey::Of(0, 2, 3, 4), 5));
  EXPECT_NE(first, RandomBits(RandomKey::Of(1, 0, 3, 4), 5));
  EXPECT_NE(first, RandomBits(RandomKey::Of(1, 2, 0, 4), 5));
  EXPECT_NE(first, RandomBits(RandomKey::Of(1, 2, 3, 0), 5));
  EXPECT_NE(first, RandomBits(RandomKey::Of(1, 2, 3, 4), 0));
  // Swapped parts give different keys.
  EXPECT_NE(RandomKey::Of(1, 2, 3, 4).key, RandomKey::Of(2, 1, 3, 4).key);
  EXPECT_NE(RandomKey::Of(1, 2, 3, 4).key, RandomKey::Of(1, 3, 2, 4).key);
}

TEST(Random, UniformStaysBelowOne) {
  EXPECT_EQ(UniformFloat(0), 0.0f);
  EXPECT_LT(UniformFloat(0xffffffff), 1.0f);
  EXPECT_EQ(UniformDouble(0, 0), 0.0);
  EXPECT_LT(UniformDouble(0xffffffff, 0xffffffff), 1.0);
}

}  // namespace
}  // namespace sluice
