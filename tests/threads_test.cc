// The number of threads never changes a result: every op that its record lets
// us call, on inputs grown until the kernels split their work, gives the same
// bits with no pool, two and five threads.
#include <gtest/gtest.h>

#include <memory>

#include "benchmarks/op_case.h"
#include "sluice/base/worker_pool.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"

namespace sluice {
namespace {

Result<std::vector<Array>> RunWith(const OpRecord& op, const bench::OpCase& c,
                                   WorkerPool* pool) {
  StepContext step;
  step.pool = pool;
  return RunOp(op, c.attrs, c.inputs, &step);
}

TEST(Threads, NeverChangeAResult) {
  WorkerPool two(2), five(5);
  // No time limit: what is compared may not depend on the machine's mood.
  bench::OpCaseOptions options{
      .target_bytes = 1 << 20, .max_seconds = 1e9, .max_flops = 5e7};
  int compared = 0, large = 0;
  for (const OpRecord* op : AllOps()) {
    if (!bench::WhyNotMeasured(*op).empty()) continue;
    SCOPED_TRACE(op->name);
    Result<bench::OpCase> c = bench::MakeOpCase(*op, options);
    if (!c.ok()) continue;
    Result<std::vector<Array>> alone = RunWith(*op, *c, nullptr);
    ASSERT_TRUE(alone.ok()) << alone.status().ToString();
    for (WorkerPool* pool : {&two, &five}) {
      Result<std::vector<Array>> shared = RunWith(*op, *c, pool);
      ASSERT_TRUE(shared.ok()) << shared.status().ToString();
      for (size_t i = 0; i < alone->size(); ++i) {
        EXPECT_TRUE((*alone)[i].BitEquals((*shared)[i]))
            << "output " << i << " on " << c->ToString() << " with "
            << pool->parallelism() << " threads";
      }
    }
    ++compared;
    large += c->held >= options.target_bytes / 4;
  }
  EXPECT_GE(compared, 150);
  EXPECT_GE(large, 100);  // grown far enough to be split
}

}  // namespace
}  // namespace sluice
