#include "sluice/kernels/cpu/reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sluice/base/random.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/fused_loop.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"

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

Array Call(const char* op, const Attrs& attrs, const Array& x,
           WorkerPool* pool) {
  StepContext step;
  step.pool = pool;
  auto out = RunOp(*FindOp(op), attrs, {&x, 1}, &step);
  EXPECT_TRUE(out.ok()) << out.status().ToString();
  return (*out)[0];
}

struct Case {
  Shape shape;
  std::vector<int64_t> axes;
};
// Big enough for chunks, parts, strips and several threads, on every path.
const Case kCases[] = {
    {{1 << 20}, {}},         {{3, 300000}, {1}},       {{3000, 700}, {0}},
    {{20000, 3}, {1}},       {{70, 41, 500}, {1}},     {{70, 41, 500}, {0, 2}},
    {{5, 3, 90000}, {0, 2}}, {{200000, 2}, {0}},       {{33, 5000}, {0}},
    {{900, 300}, {1}},       {{6, 50, 7, 40}, {0, 2}}, {{40, 1, 30}, {1}},
    {{9, 4001, 11}, {1}},    {{257, 3, 19}, {0}},      {{2, 70000}, {0, 1}}};

TEST(Reduce, ThreadsChangeNothingAndSumsAreExact) {
  WorkerPool pool(3);
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.shape.ToString());
    Array x = Numbers(c.shape);
    Attrs attrs = {{"axes", c.axes}};
    Array alone = Call("Sum", attrs, x, nullptr);
    EXPECT_TRUE(alone.BitEquals(Call("Sum", attrs, x, &pool)));
    // Against double, element by element of the result.
    Array wide =
        (*RunOp(*FindOp("Cast"), {{"dtype", DType::kF64}}, {&x, 1}))[0];
    Array exact = Call("Sum", attrs, wide, nullptr);
    for (int64_t i = 0; i < alone.num_elements(); ++i) {
      double want = exact.data<double>()[i];
      ASSERT_NEAR(alone.data<float>()[i], want, 1e-6 * std::abs(want) + 1e-5)
          << "at " << i;
    }
    for (const char* op : {"Max", "Var", "LogSumExp", "Norm"}) {
      EXPECT_TRUE(
          Call(op, attrs, x, nullptr).BitEquals(Call(op, attrs, x, &pool)))
          << op;
    }
  }
}

TEST(Reduce, VarianceFarFromZero) {
  Array x = Numbers({3, 5000});
  Array wide = (*RunOp(*FindOp("Cast"), {{"dtype", DType::kF64}}, {&x, 1}))[0];
  double* v = wide.mutable_data<double>();
  Array near = Call("Var", {{"axes", std::vector<int64_t>{1}}}, wide, nullptr);
  // A shift that is exact in double changes no distance from the mean.
  for (int64_t i = 0; i < wide.num_elements(); ++i) v[i] += 1 << 26;
  Array far = Call("Var", {{"axes", std::vector<int64_t>{1}}}, wide, nullptr);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(near.data<double>()[i], far.data<double>()[i], 1e-12);
  }
}

// `op` of the squares of x, which are not computed in advance: they are
// computed block by block as the kernel requests them.
Array CallOnSquares(const char* name, const Attrs& given, const Array& x,
                    WorkerPool* pool, int64_t* finished) {
  const OpRecord &op = *FindOp(name), &square = *FindOp("Square");
  EXPECT_TRUE(op.cpu().fuse_input && op.cpu().fuse_output) << name;
  const std::vector<DType> dtypes = {DType::kF32};
  ResolvedCall call = *ResolveCall(op, given, dtypes);
  BlockProgram program;
  int in = program.AddInput(DType::kF32, BlockProgram::Access::kContiguous);
  int out = program.AddOutput(DType::kF32);
  program.AddOp(square.block({}, dtypes, DType::kF32), {&in, 1}, DType::kF32,
                out);
  program.Finish(x.shape());
  void* data[] = {x.mutable_raw(), nullptr};
  FusedLoop squares(program, data);

  StepContext step;
  step.pool = pool;
  NodeInfo node;
  Array inputs[] = {Array::Borrow(nullptr, DType::kF32, x.shape())};
  std::vector<Array> outputs(1);
  EXPECT_TRUE(
      AllocateOutputs(op, call.attrs, inputs, call.out_dtypes, outputs).ok());
  // After it, ones are added for every element reported as final.
  Array ones = Array::Zeros(outputs[0].dtype(), outputs[0].shape());
  BlockProgram copy;
  int from = copy.AddInput(ones.dtype(), BlockProgram::Access::kContiguous);
  int to = copy.AddOutput(ones.dtype());
  const std::vector<DType> pair = {ones.dtype(), ones.dtype()};
  int both[] = {to, from};
  copy.AddOp(FindOp("Add")->block({}, pair, ones.dtype()), both, ones.dtype(),
             to);
  copy.Finish(ones.shape());
  Array one = *ones.Clone();
  for (int64_t i = 0; i < one.num_elements(); ++i) {
    if (one.dtype() == DType::kI64) {
      one.mutable_data<int64_t>()[i] = 1;
    } else {
      one.mutable_data<float>()[i] = 1;
    }
  }
  void* behind[] = {one.mutable_raw(), ones.mutable_raw()};
  FusedLoop count(copy, behind);

  KernelContext ctx(op, call.attrs, node, step, inputs, outputs);
  ctx.set_fused(&squares, &count);
  const Kernel& kernel = op.kernel(DeviceKind::kCpu);
  std::vector<char> workspace;
  if (kernel.workspace) {
    PartialShape shape = x.shape(), result = outputs[0].shape();
    const Array* value = nullptr;
    ShapeContext sizes(op, call.attrs, dtypes, {&shape, 1}, {&value, 1},
                       call.out_dtypes, {&result, 1});
    workspace.resize(static_cast<size_t>(kernel.workspace(sizes)));
    ctx.set_workspace(workspace.data());
  }
  Status status = kernel.launch(ctx);
  EXPECT_TRUE(status.ok()) << status.ToString();
  *finished = 0;
  for (int64_t i = 0; i < ones.num_elements(); ++i) {
    *finished += ones.dtype() == DType::kI64 ? ones.data<int64_t>()[i] == 1
                                             : ones.data<float>()[i] == 1;
  }
  return outputs[0];
}

TEST(Reduce, FusedInFrontAndBehindChangesNothing) {
  WorkerPool pool(3);
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.shape.ToString());
    Array x = Numbers(c.shape);
    Array squares = Call("Square", {}, x, nullptr);
    for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod", "Var", "Std",
                           "Norm", "LogSumExp", "CountNonZero"}) {
      SCOPED_TRACE(op);
      Attrs attrs = {{"axes", c.axes}};
      int64_t finished = 0;
      Array want = Call(op, attrs, squares, nullptr);
      Array got = CallOnSquares(op, attrs, x, &pool, &finished);
      EXPECT_TRUE(got.BitEquals(want));
      EXPECT_EQ(finished, got.num_elements());
    }
    for (int64_t axis : c.axes) {
      for (const char* op : {"ArgMax", "ArgMin"}) {
        SCOPED_TRACE(op);
        Attrs attrs = {{"axis", axis}};
        int64_t finished = 0;
        Array want = Call(op, attrs, squares, nullptr);
        Array got = CallOnSquares(op, attrs, x, &pool, &finished);
        EXPECT_TRUE(got.BitEquals(want));
        EXPECT_EQ(finished, got.num_elements());
      }
    }
  }
}

// Compared with the naive search, with equal elements and NaN far apart.
TEST(Reduce, ArgMaxOfLongRowsAndColumns) {
  WorkerPool pool(3);
  for (const Case& c :
       {Case{{300000}, {0}}, Case{{2, 140000}, {1}}, Case{{700, 900}, {0}},
        Case{{700, 900}, {1}}, Case{{3, 500, 40}, {1}}}) {
    SCOPED_TRACE(c.shape.ToString());
    for (int kind = 0; kind < 3; ++kind) {
      Array x = Numbers(c.shape);
      float* v = x.mutable_data<float>();
      // Few values, hence many equals; NaN in some places; plain.
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        if (kind == 0) v[i] = std::floor(v[i] * 4);
        if (kind == 1 && i % 99991 == 70001) v[i] = NAN;
      }
      Attrs attrs = {{"axis", c.axes[0]}};
      Array got = Call("ArgMax", attrs, x, nullptr);
      EXPECT_TRUE(got.BitEquals(Call("ArgMax", attrs, x, &pool)));
      int64_t size = c.shape.dim(static_cast<int>(c.axes[0])), inner = 1;
      for (int k = static_cast<int>(c.axes[0]) + 1; k < c.shape.rank(); ++k) {
        inner *= c.shape.dim(k);
      }
      for (int64_t o = 0; o < got.num_elements(); ++o) {
        const float* p = v + o / inner * size * inner + o % inner;
        int64_t best = 0;
        for (int64_t i = 1; i < size && !std::isnan(p[best * inner]); ++i) {
          float next = p[i * inner];
          if (next > p[best * inner] || std::isnan(next)) best = i;
        }
        ASSERT_EQ(got.data<int64_t>()[o], best) << "at " << o;
      }
    }
  }
}

}  // namespace
}  // namespace sluice
