#include "sluice/tensor/array.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sluice/base/error.h"
#include "sluice/base/sanitizers.h"
#include "sluice/base/spin_lock.h"
#include "sluice/tensor/dispatch.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

TEST(Array, EveryDTypeCanBeMadeCopiedAndPrinted) {
  for (int i = 1; i < kNumDTypes; ++i) {
    auto dtype = static_cast<DType>(i);
    for (int64_t n : {0, 3, 300}) {
      Array a = Array::Zeros(dtype, Shape({n}));
      Array b = *a.Clone();
      EXPECT_TRUE(a.BitEquals(b));
      EXPECT_EQ(DTypeFromName(DTypeName(dtype)), dtype);
      EXPECT_FALSE(a.ToString().empty());
    }
  }
}

TEST(Array, AViewKeepsItsBaseAliveAndSharesItsElements) {
  for (int64_t n : {6, 4000}) {  // inline elements, and a buffer of their own
    Array view;
    {
      Array base = *Array::Make(DType::kI32, Shape({n}));
      for (int64_t i = 0; i < n; ++i)
        base.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
      view = Array::View(base, 1, Shape({(n - 1) / 2}), {2});
      EXPECT_FALSE(view.contiguous());
      EXPECT_FALSE(base.unique());
      base.mutable_data<int32_t>()[1] = 77;
    }
    EXPECT_EQ(view.data<int32_t>()[0], 77);
    Array row = *view.AsContiguous();
    EXPECT_TRUE(row.contiguous());
    EXPECT_EQ(row.data<int32_t>()[0], 77);
    EXPECT_TRUE(row.unique());
  }
}

TEST(Array, UniqueSeesEveryOtherOwner) {
  Array a = *Array::Make(DType::kF32, {1000});
  EXPECT_TRUE(a.unique());
  {
    Array b = a;
    EXPECT_FALSE(a.unique());
  }
  Array reshaped = a.WithShape({10, 100});
  EXPECT_FALSE(a.unique());
  reshaped = Array();
  EXPECT_TRUE(a.unique());
  float on_stack[4] = {};
  EXPECT_FALSE(Array::Borrow(on_stack, DType::kF32, {4}).unique());
}

TEST(Array, StringsAreObjects) {
  Array a = Array::Of<std::string>(
      {2}, {"a long enough string to be on the heap", "b"});
  Array b = *a.Clone();
  a = Array();
  EXPECT_EQ(b.data<std::string>()[0], "a long enough string to be on the heap");
  EXPECT_EQ(b.ToString(), "[\"a long enough string to be on the heap\" \"b\"]");
}

TEST(Array, TooMuchMemoryIsAnError) {
  auto made = Array::Make(DType::kF64, Shape({int64_t{1} << 44}));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), Code::kResourceExhausted);
  EXPECT_NE(made.status().message().find("out of memory"), std::string::npos);
}

TEST(Array, WhatIsWrittenWrongInTheSourceThrows) {
  EXPECT_THROW(Shape({-1}), Error);
  EXPECT_THROW(PartialShape({1, 1, 1, 1, 1, 1, 1, 1, 1}), Error);
  EXPECT_THROW(Array::Zeros(DType::kF64, {int64_t{1} << 44}), Error);
  EXPECT_THROW(Array::Of<float>({3}, {1, 2}), Error);
}

TEST(Array, FreedMemoryIsReused) {
  Allocator& host = HostAllocator();
  {
    Array warm = *Array::Make(DType::kF32, {1 << 20});
  }
  int64_t system = host.stats().system_allocations;
  for (int i = 0; i < 10; ++i)
    Array again = *Array::Make(DType::kF32, {1 << 20});
#if SL_ASAN
  EXPECT_GE(host.stats().system_allocations, system);
#else
  EXPECT_EQ(host.stats().system_allocations, system);
#endif
}

#if !SL_ASAN
// Each of a different size: sizes below a megabyte have one place each for the
// most recently freed block.
TEST(HostAllocator, FreedBlocksAreKeptUntilReleased) {
  Allocator& host = HostAllocator();
  host.ReleaseCached();
  for (int64_t bytes : {5000, 8 << 10, 100'000, (1 << 20) - 1, 3 << 20}) {
    SCOPED_TRACE(bytes);
    Block one = host.Allocate(bytes), two = host.Allocate(bytes);
    ASSERT_TRUE(one.data && two.data);
    EXPECT_GE(one.bytes, bytes);
    int64_t before = host.stats().bytes_cached;
    host.Free(two);
    host.Free(one);
    EXPECT_EQ(host.stats().bytes_cached, before + one.bytes + two.bytes);
    // The newest first.
    Block again = host.Allocate(bytes), other = host.Allocate(bytes);
    EXPECT_EQ(again.data, one.data);
    EXPECT_EQ(other.data, two.data);
    host.Free(again);
    host.Free(other);
  }
  host.ReleaseCached();
  EXPECT_EQ(host.stats().bytes_cached, 0);
}
#endif

TEST(StridedWalk, MergesAxesThatStepEvenly) {
  Shape shape{2, 3, 4};
  int runs = 0;
  StridedWalk<1> walk(shape, {ContiguousStrides(shape)});
  walk.ForEachRun([&](const auto&, const auto&, int64_t n) {
    ++runs;
    EXPECT_EQ(n, 24);
  });
  EXPECT_EQ(runs, 1);
}

TEST(CopyStrided, FollowsNegativeAndZeroSteps) {
  Array base = Array::Vector<int32_t>({1, 2, 3});
  Array back = Array::View(base, 2, {3}, {-1});
  EXPECT_EQ(back.ToString(), "[3 2 1]");
  EXPECT_EQ(back.AsContiguous()->ToString(), "[3 2 1]");
  Array wide = Array::View(base, 1, {2, 2}, {0, 0});
  EXPECT_EQ(wide.AsContiguous()->WithShape({4}).ToString(), "[2 2 2 2]");
}

TEST(Half, RoundTripsAndRoundsToEven) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    f16 h;
    h.bits = static_cast<uint16_t>(bits);
    float f = h;
    if (std::isnan(f)) continue;
    EXPECT_EQ(f16(f).bits, h.bits) << bits;
    bf16 b;
    b.bits = static_cast<uint16_t>(bits);
    if (!std::isnan(static_cast<float>(b))) {
      EXPECT_EQ(bf16(static_cast<float>(b)).bits, b.bits);
    }
  }
  EXPECT_EQ(static_cast<float>(f16(2049.0f)), 2048.0f);  // halfway: to even
  EXPECT_EQ(static_cast<float>(f16(2051.0f)), 2052.0f);
  EXPECT_TRUE(std::isinf(static_cast<float>(f16(65520.0f))));
  EXPECT_EQ(static_cast<float>(f16(65519.0f)), 65504.0f);
  EXPECT_TRUE(std::isnan(static_cast<float>(f16(NAN))));
  EXPECT_TRUE(std::isnan(static_cast<float>(bf16(NAN))));
  EXPECT_EQ(static_cast<float>(bf16(1.00390625f)), 1.0f);
}

#ifndef NDEBUG
// Builds with checks (asan, tsan) would abort in any test that did this.
TEST(Array, NoneEndsUnderASpinLock) {
  EXPECT_DEATH(
      {
        SpinLock lock;
        Array a = Array::Zeros(DType::kF32, Shape({3000}));
        lock.lock();
        a = Array();
        lock.unlock();
      },
      "HeldHere");
  EXPECT_FALSE(SpinLock::HeldHere());
}
#endif

}  // namespace
}  // namespace sluice
