#include "sluice/tensor/plain_bools.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

// A bool from numpy, DLPack or a fed array may be any byte: `not 2` was 3, and
// the text for 255 was read far behind the words for true and false.
TEST(PlainBools, BytesThatAreNeither) {
  uint8_t bytes[] = {0, 2, 255, 1};
  Array odd = Array::Borrow(bytes, DType::kBool, {4});
  auto made = WithPlainBools(odd);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_TRUE(made->BitEquals(Array::Vector<bool>({false, true, true, true})));
  EXPECT_EQ(bytes[1], 2);  // a copy
  // Every second element.
  auto some = WithPlainBools(Array::View(odd, 0, {2}, {2}));
  ASSERT_TRUE(some.ok()) << some.status().ToString();
  EXPECT_TRUE(some->BitEquals(Array::Vector<bool>({false, true})));
}

TEST(PlainBools, WhatIsPlainIsTheSameArray) {
  uint8_t bytes[] = {0, 1};
  Array plain = Array::Borrow(bytes, DType::kBool, {2});
  EXPECT_EQ(WithPlainBools(plain)->rep(), plain.rep());
  Array numbers = Array::Vector<float>({2, 255});
  EXPECT_EQ(WithPlainBools(numbers)->rep(), numbers.rep());
}

}  // namespace
}  // namespace sluice
