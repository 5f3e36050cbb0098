#include "sluice/device/sim/sim_graph.h"

#include <gtest/gtest.h>

#include "sluice/base/error.h"
#include "sluice/device/sim/sim_device.h"

namespace sluice {
namespace {

struct SimGraphTest : testing::Test {
  SimWorld world;
  SimDevice& device = **world.AddDevice();
  SimStream& compute = device.stream();
  SimGraph graph{device, "g"};

  Array Make(int64_t n = 1) {
    return *Array::Make(DType::kI64, {n}, device.allocator());
  }
  Place At(const Array& a) { return {a.memory(), a.address()}; }
  // A kernel that adds to one element.
  SimWork Add(const Array& a, int64_t value, std::string label = "add") {
    return {.label = std::move(label),
            .reads = {RangeOf(a)},
            .writes = {RangeOf(a)},
            .run = [a = a.Borrowed(), value] {
              *a.mutable_data<int64_t>() += value;
            }};
  }
  static SimWork Set(SimConditionRef condition, uint32_t value,
                     std::string label = "set") {
    return {.label = std::move(label),
            .run = [condition, value] { condition->Set(value); }};
  }
  int64_t Read(const Array& a) {
    int64_t value = 0;
    compute.Copy({nullptr, &value}, At(a), 8);
    EXPECT_TRUE(compute.Synchronize().ok());
    return value;
  }
  void Launch(int times = 1) {
    auto exec = graph.Instantiate();
    ASSERT_TRUE(exec.ok()) << exec.status().message();
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE((*exec)->Launch(compute).ok());
    }
    // The exec goes while its launches are still to come.
  }
  // Microseconds of one launch.
  double Micros() {
    world.StartTimeline();
    Launch();
    EXPECT_TRUE(compute.Synchronize().ok());
    std::vector<TimelineItem> items = world.TakeTimeline();
    return (items.back().end - items.back().start) * 1e6;
  }
};

TEST_F(SimGraphTest, NodesRunEachTimeItIsLaunched) {
  Array a = Make(), b = Make();
  int fill = graph.AddFill(At(b), 0, 8);
  int add = graph.AddKernel(Add(a, 3), {graph.AddEmpty()});
  int copy = graph.AddCopy(At(b), At(a), 8, {fill, add});
  graph.AddKernel(Add(b, 100), {copy});
  compute.Run({.label = "zero",
               .run = [a = a.Borrowed()] { *a.mutable_data<int64_t>() = 0; }});
  Launch(2);
  EXPECT_EQ(Read(a), 6);
  EXPECT_EQ(Read(b), 106);
}

TEST_F(SimGraphTest, WhileRunsItsBodyAsLongAsItsKernelSays) {
  Array i = Make(), sum = Make();
  int zero = graph.AddFill(At(i), 0, 8);
  int clear = graph.AddFill(At(sum), 0, 8);
  SimConditionRef more = graph.NewCondition("more", 1);
  auto loop = graph.AddWhile(more, {zero, clear});
  SimGraph& body = *loop.bodies[0];
  int step = body.AddKernel(Add(i, 1));
  // An IF inside: adds i where it is even.
  SimConditionRef even = body.NewCondition("even");
  SimWork decide{
      .label = "even", .reads = {RangeOf(i)}, .run = [even, i = i.Borrowed()] {
        even->Set(*i.data<int64_t>() % 2 == 0);
      }};
  int decided = body.AddKernel(decide, {step}, even);
  auto branch = body.AddIf(even, {decided}, true);
  branch.bodies[0]->AddKernel({.label = "add i",
                               .reads = {RangeOf(i), RangeOf(sum)},
                               .writes = {RangeOf(sum)},
                               .run = [i = i.Borrowed(), sum = sum.Borrowed()] {
                                 *sum.mutable_data<int64_t>() +=
                                     *i.data<int64_t>();
                               }});
  branch.bodies[1]->AddKernel(Add(sum, 1000));
  body.AddKernel(
      {.label = "again",
       .reads = {RangeOf(i)},
       .run = [more, i = i.Borrowed()] { more->Set(*i.data<int64_t>() < 5); }},
      {step}, more);
  Launch(2);
  EXPECT_EQ(Read(i), 5);
  EXPECT_EQ(Read(sum), 2 + 4 + 3000);
}

TEST_F(SimGraphTest, SwitchRunsOneOrNone) {
  for (uint32_t value : {0u, 2u, 3u, 77u}) {
    Array a = Make();
    SimGraph g(device);
    int fill = g.AddFill(At(a), 0, 8);
    SimConditionRef which = g.NewCondition("which", 0);
    int set = g.AddKernel(Set(which, value), {}, which);
    auto cases = g.AddSwitch(which, 3, {fill, set});
    for (int k = 0; k < 3; ++k) {
      cases.bodies[static_cast<size_t>(k)]->AddKernel(Add(a, 10 + k));
    }
    auto exec = g.Instantiate();
    ASSERT_TRUE(exec.ok()) << exec.status().message();
    ASSERT_TRUE((*exec)->Launch(compute).ok());
    EXPECT_EQ(Read(a), value < 3 ? 10 + value : 0);
  }
}

TEST_F(SimGraphTest, ChildrenHostFunctionsMemoryAndEvents) {
  Array a = Make();
  SimGraph child(device, "child");
  child.AddKernel(Add(a, 5));
  int fill = graph.AddFill(At(a), 0, 8);
  int first = graph.AddChild(child, {fill});
  child.AddKernel(Add(a, 1000), {0});  // the graph has its own copy
  int second = graph.AddChild(child, {first});
  Result<Array> own = graph.AddMemory(DType::kI64, {1});
  ASSERT_TRUE(own.ok());
  int called = 0;
  bool refused = false;
  graph.AddHost("call",
                [&, a] {
                  ++called;
                  try {
                    a.data<int64_t>();
                  } catch (const Error&) {
                    refused = true;
                  }
                },
                {second});
  auto done = std::make_shared<EventRef>();
  graph.AddEventRecord(done, {second});
  SimStream& peer = device.stream(StreamUse::kPeer);
  std::string ran;
  peer.Run({.label = "before", .flops = 1e12, .run = [&] { ran += "before"; }});
  graph.AddEventWait(peer.Record());
  graph.AddHost("look", [&] { ran += " graph"; });
  Launch();
  ASSERT_TRUE(*done);
  EXPECT_FALSE((*done)->Reached());
  EXPECT_EQ(Read(a), 5 + 5 + 1000);
  EXPECT_TRUE((*done)->Reached());
  EXPECT_EQ(called, 1);
  EXPECT_TRUE(refused);
  EXPECT_EQ(ran, "before graph");
  EXPECT_EQ(device.allocator().stats().bytes_in_use, 16);
}

TEST_F(SimGraphTest, LaunchesOfOneGraphComeOneAfterTheOther) {
  world.SetChecking(true);
  Array a = Make();
  graph.AddFill(At(a), 0, 8);
  graph.AddKernel(Add(a, 1), {0});
  auto exec = *graph.Instantiate();
  for (StreamUse use :
       {StreamUse::kCompute, StreamUse::kPeer, StreamUse::kToHost}) {
    ASSERT_TRUE(exec->Launch(device.stream(use)).ok());
  }
  EXPECT_EQ(world.TakeViolations().size(), 0u);
  compute.Run(Add(a, 1, "stray"));
  EXPECT_FALSE(world.TakeViolations().empty());
  world.RunAll();
}

TEST_F(SimGraphTest, ALaunchIntoFreedMemoryIsFound) {
  world.SetChecking(true);
  std::unique_ptr<SimGraphExec> exec;
  {
    Array a = Make();
    graph.AddFill(At(a), 0, 8);
    exec = std::move(*graph.Instantiate());
  }
  ASSERT_TRUE(exec->Launch(compute).ok());
  std::vector<Violation> found = world.TakeViolations();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, Violation::Kind::kFreed);
  EXPECT_EQ(found[0].text.find("\"g\" on /device:sim:0 compute writes"), 0u);
}

TEST_F(SimGraphTest, AConditionNobodySetIsAnErrorOfTheStream) {
  // The kernel is there, and does not do what it was added for.
  SimConditionRef lazy = graph.NewCondition("lazy");
  int set = graph.AddKernel({.label = "idle"}, {}, lazy);
  graph.AddIf(lazy, {set});
  Launch();
  Status status = compute.Synchronize();
  EXPECT_EQ(status.message(),
            "IF \"lazy\" was reached before its condition was set");
}

// The figures that were measured on an H200, in microseconds.
TEST_F(SimGraphTest, TimesAreThoseThatWereMeasured) {
  auto chain = [](SimGraph& g, int kernels) {
    for (int i = 0; i < kernels; ++i) {
      g.AddKernel({.label = "tiny"},
                  i ? std::vector<int>{i - 1} : std::vector<int>{});
    }
  };
  auto with = [&](auto build) {
    graph = SimGraph(device, "g");
    build();
    return Micros();
  };
  EXPECT_NEAR(with([&] { chain(graph, 1); }), 1.7, 1e-6);
  EXPECT_NEAR(with([&] { chain(graph, 8); }), 8.7, 1e-6);
  for (auto [kernels, micros] : {std::pair{1, 5.3}, {8, 12.4}}) {
    int left = 0;
    double time = with([&] {
      SimConditionRef more = graph.NewCondition("more", 1);
      SimGraph& body = *graph.AddWhile(more).bodies[0];
      chain(body, kernels - 1);
      body.AddKernel(
          {.label = "count", .run = [&left, more] { more->Set(--left > 0); }},
          kernels > 1 ? std::vector<int>{kernels - 2} : std::vector<int>{},
          more);
      left = 1000;
    });
    EXPECT_NEAR(time / 1000, micros, 0.11) << kernels;
  }
  for (auto [value, micros] : {std::pair{1, 8.1}, {0, 4.8}}) {
    double time = with([&] {
      SimConditionRef taken = graph.NewCondition("taken");
      int set =
          graph.AddKernel(Set(taken, static_cast<uint32_t>(value)), {}, taken);
      chain(*graph.AddIf(taken, {set}).bodies[0], 1);
    });
    EXPECT_NEAR(time, micros, 1e-6) << value;
  }
  double time = with([&] {
    SimConditionRef which = graph.NewCondition("which");
    int set = graph.AddKernel(Set(which, 5), {}, which);
    chain(*graph.AddSwitch(which, 8, {set}).bodies[5], 1);
  });
  EXPECT_NEAR(time, 8.7, 1e-6);
}

TEST_F(SimGraphTest, NodesSideBySideOverlapUpToTheDevicesSpeed) {
  int fork = graph.AddEmpty();
  for (int i = 0; i < 4; ++i) graph.AddKernel({.label = "tiny"}, {fork});
  EXPECT_NEAR(Micros(), 1.7, 1e-6);
  double flops = 10e-6 * device.options().flops_per_second;
  for (int i = 0; i < 2; ++i) {
    graph.AddKernel({.label = "large", .flops = flops}, {fork});
  }
  EXPECT_NEAR(Micros(), 20.7, 1e-6);
}

TEST_F(SimGraphTest, CaptureCanBeRefused) {
  {
    SimFaultScope faults(device, {.refuse_capture = true});
    Result<std::unique_ptr<SimGraphExec>> exec = graph.Instantiate();
    ASSERT_FALSE(exec.ok());
    EXPECT_EQ(exec.status().code(), Code::kFailedPrecondition);
    EXPECT_EQ(exec.status().message(),
              "/device:sim:0 refuses graph \"g\" (injected)");
  }
  EXPECT_TRUE(graph.Instantiate().ok());
}

TEST_F(SimGraphTest, AGraphIsLaunchedOnItsDevice) {
  SimDevice& other = **world.AddDevice();
  Status status = (*graph.Instantiate())->Launch(other.stream());
  EXPECT_EQ(status.message(),
            "graph \"g\" is for /device:sim:0; got a stream of /device:sim:1");
}

}  // namespace
}  // namespace sluice
