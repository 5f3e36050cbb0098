// Steps over several devices of one process give the results of one device,
// whatever the order in which the devices do their work.
#include "sluice/device/devices.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sluice/device/sim/checked_devices_test_util.h"
#include "sluice/passes/pass_test_util.h"
#include "sluice/placement/insert_copies.h"
#include "sluice/step/step.h"

namespace sluice {
namespace {

class StepDevices : public CheckedDevices {
 protected:
  // Runs the graph with every node on its device, and copies inserted.
  static Result<std::vector<Array>> Run(std::string_view text,
                                        std::vector<Array> feeds) {
    std::unique_ptr<Graph> graph = ParseOrDie(text);
    SL_RETURN_IF_ERROR(InsertCopies(*graph).status());
    PlanOptions options;
    SL_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan,
                        Plan::Build(std::move(graph), options));
    Step step(*plan);
    step.Begin({});
    for (size_t i = 0; i < feeds.size(); ++i) {
      step.Feed(static_cast<int>(i), feeds[i]);
    }
    step.RunUntilQuiet();
    SL_RETURN_IF_ERROR(step.Finish());
    return std::vector<Array>(step.results().begin(), step.results().end());
  }
};

constexpr char kLoop[] = R"(
graph g(%x: f32[2], %w: f32[2]) -> (%n, %y) {
  %zero = Const [value = 0] on "/device:cpu:0"
  %n, %y = While(%zero, %x) [dtypes = {i32, f32}] on "/device:cpu:0" {
    cond(%i: i32[], %v: f32[2]) {
      %ten = Const [value = 10] on "/device:cpu:0"
      %p = Less(%i, %ten) on "/device:cpu:0"
      yield %p
    }
    body(%i: i32[], %v: f32[2]) {
      %one = Const [value = 1] on "/device:cpu:0"
      %j = Add(%i, %one) on "/device:cpu:0"
      %a = Mul(%v, %w) on "DEVICE1"
      %b = Add(%a, %w) on "DEVICE2"
      yield %j, %b
    }
  }
})";

std::string LoopOn(std::string_view first, std::string_view second) {
  std::string text = kLoop;
  text.replace(text.find("DEVICE1"), 7, first);
  text.replace(text.find("DEVICE2"), 7, second);
  return text;
}

TEST_F(StepDevices, ALoopOverTwoDevicesGivesWhatOneGives) {
  std::vector<Array> feeds = {Array::Vector<float>({1, 2}),
                              Array::Vector<float>({0.5f, 1.25f})};
  const char* kDevices[] = {"/device:cpu:0", "/device:cpu:1", "/device:cpu:2",
                            "/device:sim:0", "/device:sim:1"};
  Result<std::vector<Array>> want =
      Run(LoopOn(kDevices[0], kDevices[0]), feeds);
  ASSERT_TRUE(want.ok()) << want.status().message();
  for (const char* first : kDevices) {
    for (const char* second : kDevices) {
      for (uint64_t seed = 0; seed < 8; ++seed) {
        SimWorld::Default().SetRandomOrder(seed);
        Result<std::vector<Array>> got = Run(LoopOn(first, second), feeds);
        ASSERT_TRUE(got.ok()) << got.status().message();
        for (size_t i = 0; i < want->size(); ++i) {
          EXPECT_TRUE((*got)[i].BitEquals((*want)[i]))
              << first << " " << second << ": " << (*got)[i].ToString();
        }
      }
    }
  }
}

// Values of one CPU device are read in place by another; they are accounted to
// the first, and results are in the memory they name.
TEST_F(StepDevices, CpuDevicesReadEachOthersValuesAndCountTheirOwn) {
  Allocator& first = (*Devices::Find("cpu:1"))->memory().allocator();
  Allocator& second = (*Devices::Find("cpu:2"))->memory().allocator();
  for (int64_t n : {4, 1000}) {  // behind the rep, and in a block
    first.ResetPeak();
    second.ResetPeak();
    Array x = Array::Zeros(DType::kF32, {n});
    std::string text = R"(
graph g(%x: f32[N]) -> (%d, %e) {
  %a = Exp(%x) on "/device:cpu:1"
  %b = Neg(%a) on "/device:cpu:2"
  %c = Exp(%b) on "/device:cpu:2"
  %d = Mul(%a, %c) on "/device:cpu:0"
  %e = Neg(%c) on "/device:cpu:2"
})";
    text.replace(text.find("N]"), 1, std::to_string(n));
    Result<std::vector<Array>> got = Run(text, {x});
    ASSERT_TRUE(got.ok()) << got.status().message();
    for (const Array& result : *got) EXPECT_EQ(result.memory(), nullptr);
    EXPECT_EQ((*got)[0].data<float>()[n - 1], std::exp(-1.0f));
    EXPECT_EQ((*got)[1].data<float>()[n - 1], -std::exp(-1.0f));
    EXPECT_EQ(first.stats().peak_bytes, 4 * n);
    EXPECT_LE(second.stats().peak_bytes, 8 * n);
    EXPECT_EQ(first.stats().bytes_in_use, 0);
    EXPECT_EQ(second.stats().bytes_in_use, 0);
  }
}

TEST_F(StepDevices, PredicatesOfADeviceComeToTheHostInEveryIteration) {
  Result<std::vector<Array>> got = Run(R"(
graph g(%x: f32[]) -> (%y) {
  %y = While(%x) [dtypes = {f32}] on "/device:cpu:0" {
    cond(%v: f32[]) {
      %one = Const [value = 1.0] on "/device:sim:0"
      %p = Greater(%v, %one) on "/device:sim:0"
      yield %p
    }
    body(%v: f32[]) {
      %two = Const [value = 2.0] on "/device:sim:1"
      %u = Div(%v, %two) on "/device:sim:1"
      yield %u
    }
  }
})",
                                       {Array::Scalar<float>(100)});
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_EQ((*got)[0].ToString(), "0.78125");
}

TEST_F(StepDevices, AFailedCopyEndsTheStepAndNothingElse) {
  std::string text = LoopOn("/device:sim:0", "/device:sim:1");
  std::vector<Array> feeds = {Array::Vector<float>({1, 2}),
                              Array::Vector<float>({0.5f, 1.25f})};
  Result<std::vector<Array>> want = Run(text, feeds);
  ASSERT_TRUE(want.ok());
  for (const char* name : {"sim:0", "sim:1"}) {
    auto& device = static_cast<SimDevice&>(**Devices::Find(name));
    bool failed = true;
    int64_t n = 1;
    for (; failed; ++n) {
      ASSERT_LT(n, 1000);
      {
        SimFaultScope faults(device, {.fail_copy = n});
        Result<std::vector<Array>> got = Run(text, feeds);
        failed = !got.ok();
        if (failed) {
          EXPECT_EQ(got.status().code(), Code::kUnavailable);
          EXPECT_NE(got.status().message().find("(node \""), std::string::npos)
              << got.status().message();
        }
      }
      Result<std::vector<Array>> again = Run(text, feeds);
      ASSERT_TRUE(again.ok()) << again.status().message();
      EXPECT_TRUE((*again)[1].BitEquals((*want)[1]));
    }
    EXPECT_GT(n, 10);  // one in every iteration, at least
  }
}

// The index is out of range only in iteration 3, and only the device sees it.
TEST_F(StepDevices, AKernelThatFailsOnADeviceNamesItsLineAndIteration) {
  Result<std::vector<Array>> got = Run(R"(
graph g(%x: f32[3]) -> (%y) {
  %zero = Const [value = 0] on "/device:cpu:0"
  %start = Const [value = 0.0] on "/device:cpu:0"
  %n, %y = While(%zero, %start) [dtypes = {i32, f32}] on "/device:cpu:0" {
    cond(%i: i32[], %v: f32[]) {
      %ten = Const [value = 10] on "/device:cpu:0"
      %p = Less(%i, %ten) on "/device:cpu:0"
      yield %p
    }
    body(%i: i32[], %v: f32[]) {
      %one = Const [value = 1] on "/device:cpu:0"
      %j = Add(%i, %one) on "/device:cpu:0"
      %e = Gather(%x, %i) on "/device:sim:0"
      %u = Add(%v, %e) on "/device:sim:0"
      yield %j, %u
    }
  }
})",
                                       {Array::Vector<float>({1, 2, 3})});
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.status().message().find("[Gather]"), std::string::npos)
      << got.status().message();
  EXPECT_NE(got.status().message().find("iteration 3"), std::string::npos)
      << got.status().message();
}

TEST_F(StepDevices, AnUnknownDeviceIsNamedWithTheNode) {
  Result<std::vector<Array>> got = Run(R"(
graph g(%x: f32[]) -> (%y) {
  %y = Neg(%x) on "/device:gpu:9"
})",
                                       {Array::Scalar<float>(1)});
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.status().message().find("there is no device \"/device:gpu:9\""),
            std::string::npos);
}

// Ten values are copied from the host to a device with room for four. Copies
// without space wait until memory is freed; with room for one there is nothing
// to wait for, and the error lists the memory in use.
TEST_F(StepDevices, CopiesWaitForMemoryThatWillBeFree) {
  constexpr int kArgs = 10;
  std::string text = "graph g(";
  std::vector<Array> feeds;
  for (int i = 0; i < kArgs; ++i) {
    text += (i ? ", %x" : "%x") + std::to_string(i) + ": f32[1024]";
    Array x = Array::Zeros(DType::kF32, {1024});
    x.mutable_data<float>()[i] = static_cast<float>(i + 1);
    feeds.push_back(x);
  }
  text += ") -> (%a9) {\n";
  for (int i = 1; i < kArgs; ++i) {
    std::string n = std::to_string(i), before = std::to_string(i - 1);
    // The last value is copied first.
    std::string x = std::to_string(kArgs - 1 - i);
    text += "  %a" + n + " = Add(%" + (i == 1 ? "x9" : "a" + before) + ", %x" +
            x + ") on \"/device:sim:0\"\n";
  }
  text += "}";
  auto& device = static_cast<SimDevice&>(**Devices::Find("sim:0"));
  int64_t before = device.allocator().stats().bytes_in_use;
  for (int room : {10, 4, 3}) {
    device.allocator().SetLimit(before + room * 4096);
    device.allocator().ResetPeak();
    Result<std::vector<Array>> got = Run(text, feeds);
    ASSERT_TRUE(got.ok()) << room << ": " << got.status().message();
    for (int i = 0; i < kArgs; ++i) {
      EXPECT_EQ((*got)[0].data<float>()[i], static_cast<float>(i + 1));
    }
    EXPECT_LE(device.allocator().stats().peak_bytes, before + room * 4096);
  }
  device.allocator().SetLimit(before + 4096);
  Result<std::vector<Array>> none = Run(text, feeds);
  device.allocator().SetLimit(int64_t{4} << 30);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Code::kResourceExhausted);
  EXPECT_NE(none.status().message().find("out of memory on /device:sim:0"),
            std::string::npos)
      << none.status().message();
  EXPECT_EQ(device.allocator().stats().bytes_in_use, before);
}

// Every allocation on the device fails once: the step ends with an error, and
// the next one runs.
TEST_F(StepDevices, OutOfMemoryEndsTheStepAndNothingElse) {
  auto& device = static_cast<SimDevice&>(**Devices::Find("sim:0"));
  std::string text = LoopOn("/device:sim:0", "/device:sim:1");
  std::vector<Array> feeds = {Array::Vector<float>({1, 2}),
                              Array::Vector<float>({0.5f, 1.25f})};
  Result<std::vector<Array>> want = Run(text, feeds);
  ASSERT_TRUE(want.ok());
  int64_t before = device.allocator().stats().bytes_in_use;
  int64_t first = device.allocator().stats().allocations;
  ASSERT_TRUE(Run(text, feeds).ok());
  int64_t count = device.allocator().stats().allocations - first;
  int64_t failures = 0;
  for (int64_t n = 1; n <= count; ++n) {
    {
      SimFaultScope faults(device, {.fail_allocation = n});
      Result<std::vector<Array>> got = Run(text, feeds);
      // The copy is repeated, and memory is available then.
      if (!got.ok()) {
        ++failures;
        EXPECT_EQ(got.status().code(), Code::kResourceExhausted)
            << got.status().message();
      } else {
        EXPECT_TRUE((*got)[1].BitEquals((*want)[1]));
      }
    }
    EXPECT_EQ(device.allocator().stats().bytes_in_use, before);
    Result<std::vector<Array>> again = Run(text, feeds);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_TRUE((*again)[1].BitEquals((*want)[1]));
  }
  EXPECT_GT(failures, 5);
}

}  // namespace
}  // namespace sluice
