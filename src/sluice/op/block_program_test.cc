#include "sluice/op/block_program.h"

#include <gtest/gtest.h>

#include <vector>

#include "sluice/base/worker_pool.h"
#include "sluice/tensor/strided.h"

namespace sluice {
namespace {

void AddFloats(void* out, const void* const* in, int64_t n,
               const BlockParams&) {
  auto* y = static_cast<float*>(out);
  auto* a = static_cast<const float*>(in[0]);
  auto* b = static_cast<const float*>(in[1]);
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] + b[i];
}

// Reads its result: computing an element twice changes it.
void AddInto(void* out, const void* const* in, int64_t n, const BlockParams&) {
  auto* y = static_cast<float*>(out);
  auto* a = static_cast<const float*>(in[0]);
  for (int64_t i = 0; i < n; ++i) y[i] += a[i];
}

Array Counting(const Shape& shape) {
  Array a = *Array::Make(DType::kF32, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    a.mutable_data<float>()[i] = static_cast<float>(i % 4099);
  }
  return a;
}

// The broadcast value at a flat index of the space.
float At(const Array& a, const Shape& space, int64_t flat) {
  Strides strides = BroadcastStrides(a, space);
  int64_t offset = 0;
  for (int k = space.rank() - 1; k >= 0; --k) {
    offset += flat % space.dim(k) * strides[static_cast<size_t>(k)];
    flat /= space.dim(k);
  }
  return a.data<float>()[offset];
}

// x + a + b over every part of the space in turn; parts of all lengths, so that
// they begin and end anywhere in a stretch of the broadcast operands.
void CheckParts(const Shape& space, const Shape& a_shape,
                const Shape& b_shape) {
  SCOPED_TRACE(space.ToString() + a_shape.ToString() + b_shape.ToString());
  Array x = Counting(space), a = Counting(a_shape), b = Counting(b_shape);
  BlockProgram program;
  auto input = [&](const Array& v) {
    Strides strides = BroadcastStrides(v, space);
    return program.AddInput(
        DType::kF32, BlockProgram::AccessFor(v.num_elements(), space, strides),
        strides);
  };
  BlockKernel add{AddFloats, {}, TileOp::kNone, ""};
  int ids[] = {input(x), input(a)};
  int third = input(b);
  int y = program.AddOutput(DType::kF32);
  int sum[] = {program.AddOp(add, ids, DType::kF32), third};
  program.AddOp(add, sum, DType::kF32, y);
  program.Finish(space);
  int64_t n = space.num_elements();
  std::vector<float> out(static_cast<size_t>(n), -1), part(out);
  void* data[] = {x.mutable_raw(), a.mutable_raw(), b.mutable_raw(),
                  out.data()};
  program.RunPart(data, 0, 0);  // nothing to do, nothing done
  int64_t length = 1;
  for (int64_t begin = 0; begin < n; begin += length) {
    length = std::min(n - begin, length * 2 + 1);
    program.RunPart(data, begin, begin + length);
    program.RunPartInto(data, begin, begin + length, part.data() + begin);
  }
  for (int64_t i = 0; i < n; ++i) {
    float want = x.data<float>()[i] + At(a, space, i) + At(b, space, i);
    ASSERT_EQ(out[static_cast<size_t>(i)], want) << i;
    ASSERT_EQ(part[static_cast<size_t>(i)], want) << i;
  }
}

TEST(BlockProgram, BroadcastOperandsInEveryPart) {
  CheckParts({9, 500}, {500}, {9, 1});             // long stretch, row scalars
  CheckParts({1500, 3}, {3}, {1});                 // short stretch, scalar
  CheckParts({7, 11, 130}, {130}, {11, 130});      // two periods
  CheckParts({7, 11, 130}, {7, 1, 130}, {11, 1});  // gathered
  CheckParts({6, 1, 300}, {1, 300}, {6, 1, 1});
  CheckParts({5000, 2}, {5000, 1}, {2});
  CheckParts({255, 255}, {255}, {1, 1});
  CheckParts({40, 256}, {256}, {256});
}

TEST(BlockProgram, PartsOfRowsWithoutColumns) {
  CheckParts({4, 0}, {4, 1}, {1});
  CheckParts({0, 3}, {1, 3}, {3});
}

TEST(BlockProgram, EveryElementOnceWhateverTheThreads) {
  WorkerPool one(1), two(2), five(5);
  for (int64_t n : {1 << 15, 50'001, (1 << 18) - 1, 1 << 18, 300'000}) {
    Array x = Counting({n});
    BlockProgram program;
    int in[] = {
        program.AddInput(DType::kF32, BlockProgram::Access::kContiguous)};
    int y = program.AddOutput(DType::kF32);
    program.AddOp({AddInto, {}, TileOp::kNone, ""}, in, DType::kF32, y);
    program.Finish({n});
    for (WorkerPool* pool :
         {static_cast<WorkerPool*>(nullptr), &one, &two, &five}) {
      std::vector<float> out(static_cast<size_t>(n), 0.5f);
      void* data[] = {x.mutable_raw(), out.data()};
      program.Run(data, pool);
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(out[static_cast<size_t>(i)], x.data<float>()[i] + 0.5f)
            << i << " of " << n << " with " << (pool ? pool->parallelism() : 0)
            << " threads";
      }
    }
  }
}

}  // namespace
}  // namespace sluice
