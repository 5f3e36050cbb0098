#include "sluice/op/runs_on.h"

#include <gtest/gtest.h>

#include "sluice/op/registry.h"

namespace sluice {
namespace {

struct Case {
  const char* op;
  std::vector<DType> dtypes;  // of inputs and outputs
  bool cpu, sim, idle;
};

TEST(RunsOn, FollowsFromTheRecord) {
  constexpr DType kF = DType::kF32, kI = DType::kI64, kS = DType::kString,
                  kL = DType::kList, kR = DType::kResource;
  const Case kCases[] = {
      {"Add", {kF, kF, kF}, true, true, false},
      {"MatMul", {kF, kF, kF}, true, true, false},
      {"Reshape", {kF, kI, kF}, true, true, false},
      {"Shape", {kF, kI}, true, true, false},
      {"RandomUniform", {kI, kF}, true, true, false},
      // Sizes depend on elements.
      {"NonZero", {kF, kI}, true, false, false},
      // Strings are in host memory, even for an op that only passes them on.
      {"Identity", {kF, kF}, true, true, false},
      {"Identity", {kS, kS}, true, false, false},
      {"StringUpper", {kS, kS}, true, false, false},
      // Variables may be on any device, except those of strings; other state is
      // on the host.
      {"Variable", {kR}, true, true, false},
      {"ReadVariable", {kR, kF}, true, true, false},
      {"ReadVariable", {kR, kS}, true, false, false},
      {"AssignAdd", {kR, kF}, true, true, false},
      {"ScatterAdd", {kR, kI, kF}, true, true, false},
      {"HashTable", {kR}, true, false, false},
      {"Assert", {DType::kBool}, true, false, false},
      // Lists: passing elements on is no work for a device, stacking them is.
      {"ListAppend", {kL, kF, kL}, true, true, true},
      {"ListStack", {kL, kF}, true, false, true},
      // Control flow may be placed anywhere.
      {"While", {kF, kF}, true, true, false},
      {"Switch", {kF, DType::kBool, kF, kF}, true, true, false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.op);
    const OpRecord* op = FindOp(c.op);
    ASSERT_TRUE(op);
    EXPECT_EQ(RunsOn(*op, DeviceKind::kCpu, c.dtypes), c.cpu);
    EXPECT_EQ(RunsOn(*op, DeviceKind::kSim, c.dtypes), c.sim);
    EXPECT_EQ(RunsWhenIdle(*op, DeviceKind::kSim, c.dtypes), c.idle);
    EXPECT_FALSE(RunsWhenIdle(*op, DeviceKind::kCpu, c.dtypes));
  }
}

// Every op runs on the host.
TEST(RunsOn, TheHostRunsEverything) {
  for (const OpRecord* op : AllOps()) {
    EXPECT_TRUE(RunsOn(*op, DeviceKind::kCpu, {})) << op->name;
  }
}

}  // namespace
}  // namespace sluice
