// Ops that declare fuse_output(): every element of output 0 is handed to the
// fused loop behind the kernel exactly once, and is final by then, whatever
// the number of threads.
#include <gtest/gtest.h>

#include <cstring>

#include "sluice/base/worker_pool.h"
#include "sluice/op/fused_loop.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/tensor/dispatch.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

std::vector<std::string> FusingOps() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    if (op->cpu().fuse_output && !op->samples.empty())
      names.push_back(op->name);
  }
  return names;
}

void Count(void* out, const void* const* in, int64_t n, const BlockParams&) {
  const float* before = static_cast<const float*>(in[0]);
  float* after = static_cast<float*>(out);
  for (int64_t i = 0; i < n; ++i) after[i] = before[i] + 1;
}

template <class T>
void Keep(void* out, const void* const* in, int64_t n, const BlockParams&) {
  std::memcpy(out, in[0], static_cast<size_t>(n) * sizeof(T));
}

// How often each element was finished, and what it was the last time.
struct Seen {
  Array counts, values;
};

Result<Seen> RunAndWatch(const OpRecord& op, const SweepCase& c,
                         WorkerPool* pool) {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes, out_shapes;
  std::vector<const Array*> values;
  for (const Array& in : c.inputs) {
    dtypes.push_back(in.dtype());
    shapes.push_back(in.shape());
    values.push_back(&in);
  }
  SL_ASSIGN_OR_RETURN(ResolvedCall call, ResolveCall(op, c.attrs, dtypes));
  std::vector<Array> out(call.out_dtypes.size());
  SL_RETURN_IF_ERROR(
      AllocateOutputs(op, call.attrs, c.inputs, call.out_dtypes, out));
  for (const Array& o : out) out_shapes.push_back(o.shape());
  const Array& y = out[0];

  Seen seen{Array::Zeros(DType::kF32, y.shape()),
            Array::Zeros(y.dtype(), y.shape())};
  BlockProgram program;
  int counts = program.AddInput(DType::kF32, BlockProgram::Access::kContiguous);
  int result = program.AddInput(y.dtype(), BlockProgram::Access::kContiguous);
  int more = program.AddOutput(DType::kF32);
  int kept = program.AddOutput(y.dtype());
  BlockKernel keep;
  DispatchBySize(y.dtype(), [&]<class T>() { keep.fn = Keep<T>; });
  program.AddOp({Count, {}, TileOp::kNone, ""}, {&counts, 1}, DType::kF32,
                more);
  program.AddOp(keep, {&result, 1}, y.dtype(), kept);
  program.Finish(y.shape());
  void* data[] = {seen.counts.mutable_raw(), y.mutable_raw(),
                  seen.counts.mutable_raw(), seen.values.mutable_raw()};
  FusedLoop loop(program, data);

  NodeInfo node;
  StepContext step;
  step.pool = pool;
  KernelContext context(op, call.attrs, node, step, c.inputs, out);
  Array workspace;
  if (WorkspaceFn bytes = op.kernel(DeviceKind::kCpu).workspace) {
    ShapeContext sizes(op, call.attrs, dtypes, shapes, values, call.out_dtypes,
                       out_shapes);
    SL_ASSIGN_OR_RETURN(workspace,
                        Array::Make(DType::kU8, Shape{bytes(sizes)}));
    context.set_workspace(workspace.mutable_raw());
  }
  context.set_fused(nullptr, &loop);
  SL_RETURN_IF_ERROR(op.kernel(DeviceKind::kCpu).launch(context));
  return seen;
}

class SweepFinish : public testing::TestWithParam<std::string> {};

TEST_P(SweepFinish, EveryElementOnceAndFinal) {
  const OpRecord& op = *FindOp(GetParam());
  WorkerPool pool(2);
  for (const SweepCase& c : CasesOf(op)) {
    SCOPED_TRACE(c.name);
    auto want = RunOp(op, c.attrs, c.inputs);
    ASSERT_TRUE(want.ok()) << want.status().ToString();
    for (WorkerPool* p : {static_cast<WorkerPool*>(nullptr), &pool}) {
      auto seen = RunAndWatch(op, c, p);
      ASSERT_TRUE(seen.ok()) << seen.status().ToString();
      const float* counts = seen->counts.data<float>();
      for (int64_t i = 0; i < seen->counts.num_elements(); ++i) {
        ASSERT_EQ(counts[i], 1) << "element " << i;
      }
      EXPECT_TRUE(seen->values.BitEquals((*want)[0])) << "was not final";
    }
  }
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}
INSTANTIATE_TEST_SUITE_P(Ops, SweepFinish, testing::ValuesIn(FusingOps()),
                         TestName);

}  // namespace
}  // namespace sluice
