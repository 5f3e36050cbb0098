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

}  // namespace
}  // namespace sluice
