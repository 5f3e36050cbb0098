// Every op with the n-th allocation failing, for every n: called by itself, and
// imperatively with its gradient. Wanted each time: an error that says so, or
// the result; the process lives.
// Not under sanitizers, which replace the allocator themselves.
#include "sluice/base/failing_allocation_test_util.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/sluice.h"
#include "tests/sweep_cases.h"

namespace sluice {
namespace {

constexpr size_t kCasesPerOp = 3;

// Of those whose calls are values of their operands alone.
bool MayRun(const OpRecord& op) {
  return !op.samples.empty() && !op.handle && !op.structural &&
         op.effect == Effect::kNone && op.regions.empty() && !op.async() &&
         op.global_effect.empty() && !op.stateful;
}

struct Counts {
  int64_t failed = 0, errors = 0;
};

// Runs `work`, a Status, until no allocation is left to fail.
template <class Work>
void Count(Counts& counts, Work work) {
  for (int64_t n = 1; n < 100'000; ++n) {
    failed = 0;
    fail_at = n;
    Status status = Guarded([&]() -> Status { return work(); });
    fail_at = 0;
    bool came = failed.load() > 0;
    if (!status.ok() && came) {
      ASSERT_EQ(status.code(), Code::kResourceExhausted)
          << "allocation " << n << ": " << status.ToString();
      ++counts.errors;
    }
    if (!came) return;
    ++counts.failed;
  }
  FAIL() << "it never ran to its end";
}

class FailingOps : public testing::TestWithParam<std::string> {};

TEST_P(FailingOps, GiveAnErrorOrTheResult) {
  const OpRecord& op = *FindOp(GetParam());
  Counts counts;
  size_t cases = 0;
  for (const SweepCase& c : CasesOf(op)) {
    if (!c.first || ++cases > kCasesPerOp) continue;
    SCOPED_TRACE(c.name);
    ASSERT_NO_FATAL_FAILURE(Count(counts, [&]() -> Status {
      StepContext context;
      context.step_id = 1;
      return RunOp(op, c.attrs, c.inputs, &context).status();
    }));
    if (op.internal) continue;
    ASSERT_NO_FATAL_FAILURE(Count(counts, [&]() -> Status {
      std::vector<Tensor> xs;
      std::vector<Operand> operands;
      for (const Array& in : c.inputs) {
        Tensor x = constant(in);
        if (kFloats.contains(in.dtype())) x = x.clone().requires_grad_();
        xs.push_back(x);
        operands.push_back(x);
      }
      for (const Tensor& y : call(op.name, operands, c.attrs)) {
        if (!kFloats.contains(y.dtype()) || !y.requires_grad()) continue;
        sum(y).backward(Tensor(), {.retain_graph = true});
      }
      return OkStatus();
    }));
  }
  RecordProperty("allocations", std::to_string(counts.failed));
  std::printf("%lld allocations failed, %lld errors\n",
              static_cast<long long>(counts.failed),
              static_cast<long long>(counts.errors));
}

std::vector<std::string> OpNames() {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    if (MayRun(*op)) names.push_back(op->name);
  }
  return names;
}
INSTANTIATE_TEST_SUITE_P(Ops, FailingOps, testing::ValuesIn(OpNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sluice
