#include "sluice/graph/batch_edit.h"

#include <gtest/gtest.h>

#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "sluice/graph/verifier.h"

namespace sluice {
namespace {

class BatchEditTest : public testing::Test {
 protected:
  void Parse(std::string_view text) {
    Result<std::unique_ptr<Graph>> graph = ParseGraph(text);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    graph_ = std::move(*graph);
  }
  Node& node(std::string_view name) { return *graph_->FindNode(name); }
  void Expect(std::string_view text) {
    Status whole = Verify(*graph_);
    EXPECT_TRUE(whole.ok()) << whole.message();
    EXPECT_EQ(PrintGraph(*graph_, {.types = false}), text);
  }
  std::unique_ptr<Graph> graph_;
};

TEST_F(BatchEditTest, NothingChangesWithoutAnEdit) {
  Parse("graph g(%x: f32[]) -> (%a) { %a = Neg(%x) }");
  BatchEdit edit(*graph_);
  EXPECT_FALSE(edit.Commit());
  Expect("graph g(%x: f32[]) -> (%a) {\n  %a = Neg(%x)\n}\n");
}

TEST_F(BatchEditTest, ReplacementsChainAndReachResultsAndRegions) {
  Parse(R"(graph g(%x: f32[], %p: bool[]) -> (%b) run %t {
    %a = Neg(%x)
    %b = Neg(%a)
    %y = TestIf(%p) [dtype = f32] {
      then() { %n = Neg(%b) yield %n } else() { yield %b } }
    %t = TestNoOp() after %b
  })");
  BatchEdit edit(*graph_);
  EXPECT_TRUE(edit.is_target(node("t")));
  edit.Replace(node("a").output(), graph_->root().arg(0));
  edit.ReplaceControl(node("a"), {node("a").input(0).node});
  edit.Update(node("b"));
  EXPECT_EQ(node("b").input(0), graph_->root().arg(0));
  edit.Replace(node("b").output(), node("b").input(0));
  edit.ReplaceControl(node("b"), {&node("a")});
  edit.Erase(node("a"));
  edit.Erase(node("b"));
  EXPECT_TRUE(edit.Commit());
  Expect(R"(graph g(%x: f32[], %p: bool[]) -> (%x) run %t {
  %y = TestIf(%p) [dtype = f32] {
    then() {
      %n = Neg(%x)
      yield %n
    }
    else() {
      yield %x
    }
  }
  %t = TestNoOp()
}
)");
}

TEST_F(BatchEditTest, RewriteKeepsNameAndOutputsOrRefuses) {
  Parse("graph g(%x: f32[?], %i: i32[]) -> (%b) { %b = Add(%x, %x) : f32[4] }");
  BatchEdit edit(*graph_);
  Value x = graph_->root().arg(0), i = graph_->root().arg(1);
  EXPECT_FALSE(edit.Rewrite(node("b"), "Neg", {i}, {}).ok());
  EXPECT_FALSE(edit.Rewrite(node("b"), "Neg", {x, x}, {}).ok());
  EXPECT_FALSE(edit.Rewrite(node("b"), "Split", {x}, {{"num", 2}}).ok());
  EXPECT_FALSE(edit.changed());
  EXPECT_TRUE(edit.Rewrite(node("b"), "Neg", {x}, {}).ok());
  EXPECT_TRUE(edit.Commit());
  EXPECT_EQ(node("b").output_type(0).ToString(), "f32[4]");
  Expect("graph g(%x: f32[?], %i: i32[]) -> (%b) {\n  %b = Neg(%x)\n}\n");
}

TEST_F(BatchEditTest, InsertedNodesStandBeforeTheirPlace) {
  Parse(
      "graph g(%x: f32[]) -> (%c) { %a = Neg(%x) %b = Neg(%a) %c = Neg(%b) }");
  BatchEdit edit(*graph_);
  NodeOptions options;
  options.name = "k";
  Node* k = *graph_->Add(graph_->root(), "TestDraw", {}, {}, options);
  edit.InsertBefore(*k, node("b"));
  edit.Replace(node("b").output(), k->output());
  edit.Erase(node("b"));
  EXPECT_TRUE(edit.Commit());
  Expect(
      "graph g(%x: f32[]) -> (%c) {\n  %a = Neg(%x)\n  %k = TestDraw()\n  "
      "%c = Neg(%k)\n}\n");
}

TEST_F(BatchEditTest, ErasedRegionsGoWithTheirNode) {
  Parse(R"(graph g(%p: bool[]) { %y = TestIf(%p) [dtype = f32] {
    then() { %a = TestDraw() yield %a } else() { %b = TestDraw() yield %b } } })");
  BatchEdit edit(*graph_);
  edit.Erase(node("y"));
  EXPECT_TRUE(edit.Commit());
  EXPECT_EQ(graph_->num_nodes(), 0);
  EXPECT_EQ(graph_->FindNode("a"), nullptr);
  Expect("graph g(%p: bool[]) {\n}\n");
}

TEST_F(BatchEditTest, NodesMoveBetweenRegions) {
  Parse(R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
  %a = Neg(%x)
  %b = Exp(%a)
  %y = TestIf(%p) [dtype = f32] {
    then() { %c = Neg(%b) %d = Exp(%x) %e = Add(%c, %d) yield %e }
    else() { yield %x }
  }
})");
  BatchEdit edit(*graph_);
  Region& then = *node("y").regions()[0];
  edit.MoveToFront(node("b"), then);
  edit.MoveToFront(node("a"), then);  // before the node moved to the front
                                      // earlier
  edit.MoveBefore(node("d"), node("y"));
  EXPECT_EQ(node("d").region(), &graph_->root());
  edit.MoveToEnd(node("c"), then);
  edit.MoveToEnd(node("e"), then);
  EXPECT_TRUE(edit.Commit());
  Expect(R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
  %d = Exp(%x)
  %y = TestIf(%p) [dtype = f32] {
    then() {
      %a = Neg(%x)
      %b = Exp(%a)
      %c = Neg(%b)
      %e = Add(%c, %d)
      yield %e
    }
    else() {
      yield %x
    }
  }
}
)");
}

TEST_F(BatchEditTest, WhatWasMovedOutOutlivesTheRegion) {
  Parse(R"(graph g(%p: bool[], %x: f32[]) -> (%y) {
  %y = TestIf(%p) [dtype = f32] {
    then() { %c = Neg(%x) %d = Exp(%x) yield %c }
    else() { yield %x }
  }
})");
  BatchEdit edit(*graph_);
  edit.MoveBefore(node("c"), node("y"));
  edit.Replace(node("y").output(), node("c").output());
  edit.Erase(node("y"));
  EXPECT_TRUE(edit.Commit());
  Expect("graph g(%p: bool[], %x: f32[]) -> (%c) {\n  %c = Neg(%x)\n}\n");
}

TEST_F(BatchEditTest, ADeviceIsSetAndTheRestOfTheOriginStays) {
  Parse(R"(graph g(%x: f32[]) -> (%a) {
    %a = Neg(%x) on "/device:sim:0" @ "model.cc":41
  })");
  BatchEdit edit(*graph_);
  edit.SetDevice(node("a"), "/device:cpu:1");
  EXPECT_EQ(node("a").device(), "/device:cpu:1");
  EXPECT_EQ(node("a").line().line, 41);
  EXPECT_FALSE(edit.Commit());
}

TEST_F(BatchEditTest, AnHeirTakesNamePlaceAndWhoWaited) {
  Parse(R"(graph g(%x: f32[]) run %a {
  %t = TestNoOp()
  %a = Neg(%x) after %t on "/cpu:1" key 0x2a @ "m.cc":3
  %s = TestSay(%x) after %a
})");
  BatchEdit edit(*graph_);
  Node* heir = *graph_->Add(graph_->root(), "Exp",
                            std::vector<Value>{graph_->root().arg(0)}, {});
  edit.TakeOver(*heir, node("a"));
  EXPECT_TRUE(edit.is_target(*heir));
  EXPECT_TRUE(edit.Commit());
  Expect(R"(graph g(%x: f32[]) run %a {
  %t = TestNoOp()
  %a = Exp(%x) after %t on "/cpu:1" key 0x2a @ "m.cc":3
  %s = TestSay(%x) after %a
}
)");
}

}  // namespace
}  // namespace sluice
