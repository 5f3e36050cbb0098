#include "sluice/passes/raise_for_gradients.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

// One conditional by hand between x and y, another that only k goes through.
constexpr std::string_view kTwo = R"(
graph g(%p: bool[], %x: f32[], %k: f32[]) -> (%y, %other) {
  %s = Switch(%x, %p)
  %a = Exp(%s:1)
  %m = Merge(%s, %a)
  %t = Switch(%k, %p)
  %b = Neg(%t)
  %n = Merge(%b, %t:1)
  %y = Mul(%m, %m)
  %other = Add(%m, %n)
})";

Value At(const Graph& graph, std::string_view name) {
  Result<Value> v = graph.FindValue(name);
  EXPECT_TRUE(v.ok()) << v.status().message();
  return *v;
}

int Count(const Graph& graph, std::string_view op) {
  int count = 0;
  for (const Node* node : graph.root().nodes()) count += node->op().name == op;
  return count;
}

std::vector<Array> Args(bool p) {
  return {Array::Scalar(p), Array::Scalar(2.0f), Array::Scalar(3.0f)};
}

TEST(RaiseForGradients, OnlyWhatIsOnTheWay) {
  std::unique_ptr<Graph> graph = ParseOrDie(kTwo), before = ParseOrDie(kTwo);
  std::vector<Value> ys = {At(*graph, "y")}, xs = {At(*graph, "x")};
  Status status = RaiseForGradients(*graph, ys, xs);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
  // The primitives stay, for users that refer to them.
  EXPECT_EQ(Count(*graph, "If"), 1);
  EXPECT_EQ(Count(*graph, "Switch"), 2);
  EXPECT_EQ(At(*graph, "y").node->input(0), At(*graph, "m/raised"));
  EXPECT_EQ(At(*graph, "other").node->input(0), At(*graph, "m/raised"));
  EXPECT_EQ(At(*graph, "other").node->input(1), At(*graph, "n"));
  for (bool p : {false, true}) {
    EXPECT_EQ(Meaning(*graph, Args(p)), Meaning(*before, Args(p)));
  }
}

TEST(RaiseForGradients, OnceForAllGradients) {
  std::unique_ptr<Graph> graph = ParseOrDie(kTwo);
  for (int round = 0; round < 2; ++round) {
    std::vector<Value> ys = {At(*graph, "m")}, xs = {At(*graph, "x")};
    ASSERT_TRUE(RaiseForGradients(*graph, ys, xs).ok());
    EXPECT_EQ(ys[0], At(*graph, "m/raised"));
  }
  EXPECT_EQ(Count(*graph, "If"), 1);
}

TEST(RaiseForGradients, NothingWithoutPrimitivesOnTheWay) {
  std::unique_ptr<Graph> graph = ParseOrDie(kTwo);
  int before = graph->num_nodes();
  std::vector<Value> ys = {At(*graph, "a")}, xs = {At(*graph, "k")};
  ASSERT_TRUE(RaiseForGradients(*graph, ys, xs).ok());
  EXPECT_EQ(graph->num_nodes(), before);
}

TEST(RaiseForGradients, WhatIsNotRaisedIsNamed) {
  std::unique_ptr<Graph> graph = ParseOrDie(R"(
graph g(%p: bool[], %x: f32[]) -> (%y) {
  %s = Switch(%x, %p) @ "model.cc":7
  %a = Exp(%s:1)
  %b = Add(%a, %s)
  %m = Merge(%s, %b) @ "model.cc":9
  %y = Neg(%m)
})");
  std::vector<Value> ys = {At(*graph, "y")}, xs = {At(*graph, "x")};
  Status status = RaiseForGradients(*graph, ys, xs);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("gradients pass through primitives only"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("model.cc:7"), std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace sluice
