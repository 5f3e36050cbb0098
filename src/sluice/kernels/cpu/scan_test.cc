#include "sluice/kernels/cpu/scan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sluice/base/random.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

// Rows long enough for parts, columns enough for strips: against one addition
// after the other in double, with and without threads, in both directions.
TEST(Scan, LongRowsAndColumns) {
  WorkerPool pool(3);
  struct Case {
    Shape shape;
    int64_t axis;
  };
  for (const Case& c : {Case{{400001}, 0}, Case{{2, 200003}, 1},
                        Case{{1000, 130}, 1}, Case{{300, 1000}, 0}}) {
    SCOPED_TRACE(c.shape.ToString());
    Array x = *Array::Make(DType::kF32, c.shape);
    RandomKey key = RandomKey::Of(0, 1, 0, 0);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      x.mutable_data<float>()[i] =
          UniformFloat(RandomBits(key, static_cast<uint64_t>(i))[0]) - 0.25f;
    }
    AxisView v(c.shape, c.axis);
    for (int kind = 0; kind < 4; ++kind) {
      bool reverse = kind & 1, exclusive = kind & 2;
      SCOPED_TRACE(kind);
      Attrs attrs = {
          {"axis", c.axis}, {"reverse", reverse}, {"exclusive", exclusive}};
      StepContext step;
      Array alone = (*RunOp(*FindOp("CumSum"), attrs, {&x, 1}, &step))[0];
      step.pool = &pool;
      Array threaded = (*RunOp(*FindOp("CumSum"), attrs, {&x, 1}, &step))[0];
      EXPECT_TRUE(alone.BitEquals(threaded));
      for (int64_t o = 0; o < v.outer * v.inner; ++o) {
        int64_t base = o / v.inner * v.size * v.inner + o % v.inner;
        double sum = 0;
        for (int64_t i = 0; i < v.size; ++i) {
          int64_t at = base + (reverse ? v.size - 1 - i : i) * v.inner;
          double next = sum + x.data<float>()[at];
          double want = exclusive ? sum : next;
          ASSERT_NEAR(alone.data<float>()[at], want,
                      2e-6 * std::abs(want) + 1e-4)
              << "at " << at;
          sum = next;
        }
      }
    }
    // A running maximum has no rounding.
    Attrs attrs = {{"axis", c.axis}};
    StepContext step;
    step.pool = &pool;
    Array high = (*RunOp(*FindOp("CumMax"), attrs, {&x, 1}, &step))[0];
    for (int64_t o = 0; o < v.outer * v.inner; ++o) {
      int64_t base = o / v.inner * v.size * v.inner + o % v.inner;
      float best = x.data<float>()[base];
      for (int64_t i = 0; i < v.size; ++i) {
        best = std::fmax(best, x.data<float>()[base + i * v.inner]);
        ASSERT_EQ(high.data<float>()[base + i * v.inner], best);
      }
    }
  }
}

}  // namespace
}  // namespace sluice
