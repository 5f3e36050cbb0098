// The records of state ops: complete, and with the rejections that they state.
#include <gtest/gtest.h>

#include "sluice/ops/state/state_ops_test_util.h"

namespace sluice {
namespace {

bool IsStateOp(const OpRecord& op) {
  return std::string_view(op.line.file).find("ops/state/") !=
         std::string_view::npos;
}

TEST(StateRecords, AreComplete) {
  int handles = 0, count = 0;
  for (const OpRecord* op : AllOps()) {
    if (!IsStateOp(*op)) continue;
    ++count;
    handles += op->handle;
    EXPECT_FALSE(op->doc.empty()) << op->name;
    EXPECT_NE(op->shape, nullptr) << op->name;
    EXPECT_TRUE(op->kernel(DeviceKind::kCpu).defined()) << op->name;
    EXPECT_FALSE(op->pure()) << op->name;
    // An op either makes a handle or works on one.
    EXPECT_EQ(op->handle, op->effect == Effect::kNone) << op->name;
    if (op->handle) {
      EXPECT_TRUE(op->inputs.empty()) << op->name;
      EXPECT_NE(op->FindAttr("container"), nullptr) << op->name;
      EXPECT_NE(op->FindAttr("shared_name"), nullptr) << op->name;
    } else {
      EXPECT_EQ(op->inputs[0].type, "resource") << op->name;
    }
  }
  EXPECT_EQ(handles, 9);
  EXPECT_EQ(count, 44);
}

TEST(StateRecords, RejectWhatTheySay) {
  for (const OpRecord* op : AllOps()) {
    if (!IsStateOp(*op)) continue;
    for (const Reject& reject : op->rejects) {
      std::vector<Array> in;
      for (const SampleInput& i : reject.in) {
        in.push_back(i.value ? i.value : Array::Zeros(reject.dtype, i.shape));
      }
      auto out = RunOp(*op, reject.attrs, in);
      ASSERT_FALSE(out.ok()) << op->name;
      EXPECT_NE(out.status().message().find(reject.message), std::string::npos)
          << out.status().message() << "\nwanted: " << reject.message;
    }
  }
}

}  // namespace
}  // namespace sluice
