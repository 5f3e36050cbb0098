#include "sluice/kernels/cpu/reduce.h"

#include <gtest/gtest.h>

#include "sluice/base/random.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

Array Numbers(const Shape& shape) {
  Array a = *Array::Make(DType::kF32, shape);
  RandomKey key = RandomKey::Of(0, 1, 0, 0);
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    a.mutable_data<float>()[i] =
        UniformFloat(RandomBits(key, static_cast<uint64_t>(i))[0]) - 0.25f;
  }
  return a;
}

Array Call(const char* op, const Array& x, std::vector<int64_t> axes,
           WorkerPool* pool) {
  StepContext step;
  step.pool = pool;
  return (*RunOp(*FindOp(op), {{"axes", axes}}, {&x, 1}, &step))[0];
}

// Big enough for chunks, strips and several threads, on every path.
TEST(Reduce, ThreadsChangeNothingAndSumsAreExact) {
  WorkerPool pool(3);
  struct Case {
    Shape shape;
    std::vector<int64_t> axes;
  };
  const Case cases[] = {{{1 << 20}, {}},         {{3, 300000}, {1}},
                        {{3000, 700}, {0}},      {{20000, 3}, {1}},
                        {{70, 41, 500}, {1}},    {{70, 41, 500}, {0, 2}},
                        {{5, 3, 90000}, {0, 2}}, {{200000, 2}, {0}}};
  for (const Case& c : cases) {
    Array x = Numbers(c.shape);
    Array alone = Call("Sum", x, c.axes, nullptr);
    EXPECT_TRUE(alone.BitEquals(Call("Sum", x, c.axes, &pool)))
        << c.shape.ToString();
    // Against double, element by element of the result.
    Array wide =
        (*RunOp(*FindOp("Cast"), {{"dtype", DType::kF64}}, {&x, 1}))[0];
    Array exact = Call("Sum", wide, c.axes, nullptr);
    for (int64_t i = 0; i < alone.num_elements(); ++i) {
      double want = exact.data<double>()[i];
      EXPECT_NEAR(alone.data<float>()[i], want, 1e-6 * std::abs(want) + 1e-5)
          << c.shape.ToString() << " at " << i;
    }
    EXPECT_TRUE(Call("Max", x, c.axes, nullptr)
                    .BitEquals(Call("Max", x, c.axes, &pool)));
  }
}

}  // namespace
}  // namespace sluice
