#include "sluice/graph/verifier.h"

#include <gtest/gtest.h>

#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/graph/text_parser.h"

namespace sluice {
namespace {

class VerifierTest : public testing::Test {
 protected:
  void Parse(std::string_view text) {
    Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    graph_ = std::move(*graph);
    ASSERT_TRUE(Verify(*graph_).ok()) << Verify(*graph_).message();
  }
  Node& node(std::string_view name) { return *graph_->FindNode(name); }
  void ExpectBroken(std::string_view message) {
    Status status = Verify(*graph_);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.message().find(message), std::string::npos)
        << status.message();
  }
  std::unique_ptr<Graph> graph_;
};

TEST_F(VerifierTest, WholeGraphsPass) {
  for (std::string_view text :
       {kSmallGraph, kLoopGraph, kAttrsGraph, kRawLoopGraph, kRecursionGraph}) {
    Parse(text);
  }
}

TEST_F(VerifierTest, Cycle) {
  Parse("graph g(%x: f32[]) { %a = Neg(%x) %b = Neg(%a) %c = Neg(%b) }");
  graph_->SetInput(node("a"), 0, node("c").output());
  ExpectBroken("the graph has a cycle through nodes \"a\", \"b\", \"c\"");
}

TEST_F(VerifierTest, AnotherOrderWithoutACycleIsFine) {
  Parse("graph g(%x: f32[]) { %a = Neg(%x) %b = Neg(%x) %c = Neg(%b) }");
  graph_->SetInput(node("a"), 0, node("c").output());
  EXPECT_TRUE(Verify(*graph_).ok());
}

TEST_F(VerifierTest, NodeThatReadsItself) {
  Parse("graph g(%x: f32[]) { %a = Neg(%x) }");
  graph_->SetInput(node("a"), 0, node("a").output());
  ExpectBroken("[Neg] input 0 is not a value in scope");
}

TEST_F(VerifierTest, ValueOfASiblingRegion) {
  Parse(R"(graph g(%p: bool[]) { %y = TestIf(%p) [dtype = f32] {
    then() { %a = TestDraw() yield %a } else() { %b = TestDraw() yield %b } } })");
  graph_->SetResults(*node("b").region(), {node("a").output()});
  ExpectBroken("[TestIf] a result is not a value in scope");
}

TEST_F(VerifierTest, RegionThatReadsItsOwner) {
  Parse(R"(graph g(%p: bool[]) { %y = TestIf(%p) [dtype = f32] {
    then() { %a = TestDraw() %n = Neg(%a) yield %n } else() { } } })");
  graph_->SetInput(node("n"), 0, node("y").output());
  ExpectBroken("[Neg] input 0 is not a value in scope");
}

TEST_F(VerifierTest, RegionThatReadsWhatComesAfterItsOwner) {
  Parse(R"(graph g(%p: bool[]) {
    %y = TestIf(%p) [dtype = f32] {
      then() { %a = TestDraw() %n = Neg(%a) yield %n } else() { } }
    %z = Neg(%y)
  })");
  graph_->SetInput(node("n"), 0, node("z").output());
  ExpectBroken("cycle");
}

TEST_F(VerifierTest, TypesThatDisagree) {
  Parse("graph g(%x: f32[2], %i: i32[2]) { %a = Add(%x, %x) }");
  graph_->SetInput(node("a"), 1, graph_->root().arg(1));
  ExpectBroken("[Add] b is i32; wanted f32 as a");
}

TEST_F(VerifierTest, DTypeOfAnOutputThatFollowsFromAnother) {
  Parse("graph g(%x: f32[2], %i: i32[2]) { %a = Neg(%x) }");
  graph_->SetInput(node("a"), 0, graph_->root().arg(1));
  ExpectBroken("[Neg] output 0 is f32[2]; inference says i32[2]");
}

TEST_F(VerifierTest, ShapesThatDisagree) {
  Parse("graph g(%x: f32[2]) { %a = Neg(%x) }");
  graph_->SetOutputShape(node("a"), 0, PartialShape({3}));
  ExpectBroken("[Neg] output 0 is f32[3]; inference says f32[2]");
}

TEST_F(VerifierTest, Attributes) {
  Parse("graph g(%x: f32[2]) { %a = Split(%x) [num = 2] }");
  graph_->SetAttr(node("a"), "num", AttrValue(1));
  ExpectBroken("[Split] has 2 outputs; wanted 1");
  graph_->SetAttr(node("a"), "num", AttrValue("two"));
  ExpectBroken("[Split] attribute num is \"two\"");
}

TEST_F(VerifierTest, TargetOfAnotherRegion) {
  Parse(R"(graph g(%p: bool[]) { %y = TestIf(%p) [dtype = f32] {
    then() { %a = TestDraw() yield %a } else() { } } })");
  graph_->SetTargets(graph_->root(), {&node("a")});
  ExpectBroken("a target is not a node of its region");
}

TEST_F(VerifierTest, MissingRegion) {
  Graph graph("g");
  Value p = *graph.AddArg(graph.root(), "p", {DType::kBool, Shape()});
  Node* node = *graph.Add(graph.root(), "TestIf", std::vector<Value>{p},
                          {{"dtype", DType::kF32}});
  ASSERT_TRUE(graph.AddRegion(*node, "then").ok());
  Status status = Verify(graph);
  EXPECT_NE(status.message().find("[TestIf] has 1 regions; wanted 2"),
            std::string::npos)
      << status.message();
}

TEST_F(VerifierTest, ValueOfAnotherGraph) {
  Parse("graph g(%x: f32[]) { %a = Neg(%x) }");
  Graph other("other");
  Value x = *other.AddArg(other.root(), "x", {DType::kF32, Shape()});
  graph_->SetInput(node("a"), 0, x);
  ExpectBroken("[Neg] input 0 is not a value in scope");
  graph_->SetInput(node("a"), 0, graph_->root().arg(0));
}

}  // namespace
}  // namespace sluice
