// Each rule of graph objects with a graph that breaks it, and the message.

#include <gtest/gtest.h>

#include <functional>

#include "sluice/device/sim/sim_device.h"
#include "sluice/device/sim/sim_graph.h"

namespace sluice {
namespace {

struct World {
  SimWorld world;
  SimDevice& device = **world.AddDevice();
  SimDevice& other = **world.AddDevice();
  Array a = *Array::Make(DType::kI64, {2}, device.allocator());
  Array b = *Array::Make(DType::kI64, {2}, other.allocator());
  SimGraph graph{device, "g"};

  SimWork Kernel(std::string label) { return {.label = std::move(label)}; }
  SimWork Writer(std::string label, const Array& array) {
    return {.label = std::move(label), .writes = {RangeOf(array)}};
  }
  Place At(const Array& array) { return {array.memory(), array.address()}; }
  // The body of an IF of the graph.
  SimGraph& Body() {
    return *graph.AddIf(graph.NewCondition("c", 1)).bodies[0];
  }
};

struct Case {
  const char* name;
  std::function<void(World&)> build;
  const char* message;  // empty: it is legal
};

const char kInBody[] =
    ": is in the body of a conditional node; wanted kernels, copies, fills, "
    "empty nodes, child graphs and conditional nodes there";

const Case kCases[] = {
    {"everything a body may hold",
     [](World& w) {
       SimGraph& body = w.Body();
       int k = body.AddKernel(w.Writer("k", w.a));
       int fill = body.AddFill(w.At(w.a), 1, 8, {k});
       int copy = body.AddCopy(w.At(w.a), w.At(w.a), 8, {fill});
       SimGraph child(w.device, "child");
       child.AddKernel(w.Writer("inner", w.a));
       int c = body.AddChild(child, {body.AddEmpty({copy})});
       body.AddIf(body.NewCondition("inner", 0), {c}, true);
     },
     ""},
    {"a body may be empty", [](World& w) { w.Body(); }, ""},
    {"host function in a body",
     [](World& w) { w.Body().AddHost("call", [] {}); }, kInBody},
    {"memory in a body",
     [](World& w) { ASSERT_TRUE(w.Body().AddMemory(DType::kF32, {1}).ok()); },
     kInBody},
    {"event record in a body",
     [](World& w) { w.Body().AddEventRecord(std::make_shared<EventRef>()); },
     kInBody},
    {"event wait in a body",
     [](World& w) { w.Body().AddEventWait(w.device.stream().Record()); },
     "graph \"body 0 of IF c\", event wait \"#0\": is in the body"},
    {"host function in a child in a body",
     [](World& w) {
       SimGraph child(w.device, "child");
       child.AddHost("call", [] {});
       w.Body().AddChild(child);
     },
     "graph \"child\", host function \"call\": is in the body"},
    {"host function in a nested body",
     [](World& w) {
       SimGraph& body = w.Body();
       body.AddIf(body.NewCondition("d", 1)).bodies[0]->AddHost("call", [] {});
     },
     kInBody},
    {"all of them outside",
     [](World& w) {
       w.graph.AddHost("call", [] {});
       ASSERT_TRUE(w.graph.AddMemory(DType::kF32, {1}).ok());
       w.graph.AddEventRecord(std::make_shared<EventRef>());
       w.graph.AddEventWait(w.device.stream().Record());
     },
     ""},
    {"another device's memory",
     [](World& w) { w.graph.AddKernel(w.Writer("k", w.b)); },
     "graph \"g\", kernel \"k\": touches memory of /device:sim:1; wanted that "
     "of /device:sim:0 alone"},
    {"a copy to another device",
     [](World& w) { w.graph.AddCopy(w.At(w.b), w.At(w.a), 8); },
     "copy \"#0\": touches memory of /device:sim:1"},
    {"another device's child",
     [](World& w) { w.graph.AddChild(SimGraph(w.other, "child")); },
     "child graph \"child\": is for /device:sim:1; wanted /device:sim:0"},
    {"after itself", [](World& w) { w.graph.AddKernel(w.Kernel("k"), {0}); },
     "kernel \"k\": comes after node 0; wanted the number of an earlier one"},
    {"after nothing", [](World& w) { w.graph.AddKernel(w.Kernel("k"), {-1}); },
     "comes after node -1"},
    {"no condition", [](World& w) { w.graph.AddIf(nullptr); },
     "got no condition; wanted one"},
    {"a condition of no node", [](World& w) { w.graph.NewCondition("alone"); },
     "graph \"g\": condition \"alone\" belongs to no node"},
    {"a condition of two nodes",
     [](World& w) {
       SimConditionRef c = w.graph.NewCondition("c", 1);
       w.graph.AddIf(c);
       w.graph.AddIf(c);
     },
     "IF \"c\": its condition belongs to another node"},
    {"a condition of another graph",
     [](World& w) {
       SimGraph other(w.device);
       w.graph.AddKernel(w.Kernel("k"), {}, other.NewCondition("c"));
     },
     "kernel \"k\": sets condition \"c\", which belongs to no node"},
    {"set by nobody",
     [](World& w) { w.graph.AddIf(w.graph.NewCondition("c")); },
     "IF \"c\": its condition is set by nobody before it; wanted a kernel that "
     "does, or a value at launch"},
    {"set by two",
     [](World& w) {
       SimConditionRef c = w.graph.NewCondition("c");
       int x = w.graph.AddKernel(w.Kernel("x"), {}, c);
       int y = w.graph.AddKernel(w.Kernel("y"), {x}, c);
       w.graph.AddIf(c, {y});
     },
     "its condition is set by kernel \"x\" and by kernel \"y\"; wanted one"},
    {"set beside it",
     [](World& w) {
       SimConditionRef c = w.graph.NewCondition("c");
       w.graph.AddKernel(w.Kernel("x"), {}, c);
       w.graph.AddIf(c);
     },
     "IF \"c\": is not after kernel \"x\", which sets its condition"},
    {"set after it",
     [](World& w) {
       SimConditionRef c = w.graph.NewCondition("c", 0);
       int node = w.graph.AddIf(c).node;
       w.graph.AddKernel(w.Kernel("x"), {node}, c);
     },
     "is not after kernel \"x\""},
    {"set before it on a way over others",
     [](World& w) {
       SimConditionRef c = w.graph.NewCondition("c");
       int x = w.graph.AddKernel(w.Kernel("x"), {}, c);
       w.graph.AddIf(c, {w.graph.AddEmpty({w.graph.AddEmpty({x})})});
     },
     ""},
    {"an IF set in its own body",
     [](World& w) {
       SimConditionRef c = w.graph.NewCondition("c", 1);
       w.graph.AddIf(c).bodies[0]->AddKernel(w.Kernel("x"), {}, c);
     },
     "is set by kernel \"x\" in its own body; wanted one kernel before it"},
    {"a WHILE that never ends",
     [](World& w) { w.graph.AddWhile(w.graph.NewCondition("c", 1)); },
     "WHILE \"c\": its body does not set its condition"},
    {"a WHILE set by two in its body",
     [](World& w) {
       SimConditionRef c = w.graph.NewCondition("c", 1);
       SimGraph& body = *w.graph.AddWhile(c).bodies[0];
       body.AddKernel(w.Kernel("x"), {}, c);
       body.AddKernel(w.Kernel("y"), {}, c);
     },
     "its condition is set by kernel \"x\" and by kernel \"y\""},
    {"a WHILE set before it and in its body",
     [](World& w) {
       SimConditionRef c = w.graph.NewCondition("c");
       int x = w.graph.AddKernel(w.Kernel("x"), {}, c);
       w.graph.AddWhile(c, {x}).bodies[0]->AddKernel(w.Kernel("y"), {}, c);
     },
     ""},
    {"set in a graph around it",
     [](World& w) {
       SimGraph& body = w.Body();
       SimConditionRef c = body.NewCondition("d", 0);
       w.graph.AddKernel(w.Kernel("x"), {}, c);
       body.AddIf(c);
     },
     "IF \"d\": its condition is set in another graph"},
    {"no bodies",
     [](World& w) { w.graph.AddSwitch(w.graph.NewCondition("c", 0), 0); },
     "SWITCH \"c\": got no bodies; wanted at least one"},
    {"two writers in no order",
     [](World& w) {
       w.graph.AddKernel(w.Writer("x", w.a));
       w.graph.AddKernel(w.Writer("y", w.a));
     },
     "kernel \"y\": touches bytes that kernel \"x\" touches as well, one of "
     "them writing; wanted one after the other"},
    {"two writers of two parts",
     [](World& w) {
       w.graph.AddKernel(w.Writer("x", Array::View(w.a, 0, {1}, {1})));
       w.graph.AddKernel(w.Writer("y", Array::View(w.a, 1, {1}, {1})));
     },
     ""},
    {"a writer beside a body that writes",
     [](World& w) {
       w.Body().AddKernel(w.Writer("inner", w.a));
       w.graph.AddFill(w.At(w.a), 0, 8);
     },
     "fill \"#1\": touches bytes that IF \"c\" touches"},
};

TEST(SimGraphCheck, EachRuleHasItsMessage) {
  for (const Case& c : kCases) {
    World w;
    c.build(w);
    Result<std::unique_ptr<SimGraphExec>> exec = w.graph.Instantiate();
    EXPECT_EQ(exec.ok(), *c.message == '\0')
        << c.name << ": " << exec.status().message();
    if (exec.ok()) continue;
    EXPECT_EQ(exec.status().code(), Code::kInvalidArgument) << c.name;
    EXPECT_NE(exec.status().message().find(c.message), std::string::npos)
        << c.name << ": " << exec.status().message();
  }
}

}  // namespace
}  // namespace sluice
