// Pruning graphs with edges that point upwards.
#include <gtest/gtest.h>

#include "sluice/graph/batch_edit.h"
#include "sluice/graph/example_graphs_test_util.h"
#include "sluice/passes/dead_code.h"
#include "sluice/passes/pass_test_util.h"
#include "sluice/passes/prune.h"

namespace sluice {
namespace {

// The kept nodes' names, in order.
std::vector<std::string> Names(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node* node : graph.root().nodes()) names.push_back(node->name());
  return names;
}

std::unique_ptr<Graph> MustPrune(const Graph& user,
                                 const std::vector<const char*>& feeds,
                                 const std::vector<const char*>& fetches) {
  std::vector<Value> fed, fetched;
  for (const char* name : feeds) fed.push_back(*user.FindValue(name));
  for (const char* name : fetches) fetched.push_back(*user.FindValue(name));
  Result<std::unique_ptr<Graph>> pruned = Prune(user, fed, fetched, {});
  EXPECT_TRUE(pruned.ok()) << pruned.status().message();
  Status whole = Verify(**pruned);
  EXPECT_TRUE(whole.ok()) << whole.message();
  whole = Verify(user);
  EXPECT_TRUE(whole.ok()) << whole.message();
  return std::move(*pruned);
}

TEST(PruneRaw, ALoopIsCopiedRound) {
  auto user = ParseOrDie(kRawLoopGraph);
  auto pruned = MustPrune(*user, {"n", "x"}, {"out"});
  // All nodes but the counter's Exit.
  EXPECT_EQ(pruned->num_nodes(), user->num_nodes() - 1);
  EXPECT_EQ(pruned->FindNode("count"), nullptr);
  Node* merge = pruned->FindNode("i");
  EXPECT_EQ(merge->input(1), pruned->FindNode("i_next")->output());
  EXPECT_EQ(merge->output_type(0).ToString(), "i32[...]");
}

TEST(PruneRaw, WhatOnlyAnotherLoopVariableNeedsIsLeftOut) {
  auto user = ParseOrDie(kRawLoopGraph);
  auto pruned = MustPrune(*user, {"n"}, {"count"});
  EXPECT_EQ(Names(*pruned), (std::vector<std::string>{
                                "zero", "one", "i_in", "n_in", "one_in", "i",
                                "less", "p", "i_sw", "i1", "i_next", "count"}));
}

TEST(PruneRaw, AFedNextIterationStaysFed) {
  auto user = ParseOrDie(kRawLoopGraph);
  auto pruned = MustPrune(*user, {"n", "i_next"}, {"i"});
  EXPECT_EQ(Names(*pruned), (std::vector<std::string>{"zero", "i_in", "i"}));
  EXPECT_EQ(pruned->FindNode("i")->input(1), pruned->root().arg(1));
}

TEST(PruneRaw, AFunctionThatCallsItselfIsCopiedOnce) {
  auto user = ParseOrDie(kRecursionGraph);
  auto pruned = MustPrune(*user, {"n", "which"}, {"y"});
  Node* function = pruned->FindNode("factorial");
  EXPECT_EQ(pruned->FindNode("f")->input(0), function->output());
  EXPECT_EQ(pruned->FindNode("c")->input(0), function->output());
}

TEST(PruneRaw, RegionsThatDoNotFitAreRefused) {
  auto user = ParseOrDie(R"(graph g(%p: bool[], %x: f32[]) {
    %y = If(%p) [dtypes = {f32}] { then() { yield %x } else() { yield %x } }
  })");
  user->SetResults(*user->FindNode("y")->regions()[1], {});
  Value y = user->FindNode("y")->output();
  Value feeds[] = {user->root().arg(0), user->root().arg(1)};
  Result<std::unique_ptr<Graph>> pruned = Prune(*user, feeds, {&y, 1}, {});
  ASSERT_FALSE(pruned.ok());
  EXPECT_NE(pruned.status().message().find(
                "[If] region \"else\" gives (); wanted (f32)"),
            std::string::npos)
      << pruned.status().message();
}

TEST(DeadCodeRaw, LoopsStayWholeAndTheDeadBesideThemGoes) {
  ExpectUnchanged(RemoveDeadCode, kRawLoopGraph);
  ExpectRewrite(RemoveDeadCode,
                R"(graph g(%x: f32[]) -> (%o) {
    %e = Enter(%x) [frame = "f"]
    %m = Merge(%e, %n)
    %k = Neg(%m)
    %l = Exp(%k)
    %n = NextIteration(%m)
    %o = Exit(%m)
  })",
                R"(graph g(%x: f32[]) -> (%o) {
    %e = Enter(%x) [frame = "f"]
    %m = Merge(%e, %n)
    %n = NextIteration(%m)
    %o = Exit(%m)
  })");
}

TEST(BatchEditRaw, WhatGoesRoundCanBeReplaced) {
  auto graph = ParseOrDie(R"(graph g(%x: f32[]) -> (%o) {
    %e = Enter(%x) [frame = "f"]
    %m = Merge(%e, %n)
    %a = Neg(%m)
    %b = Neg(%m)
    %n = NextIteration(%a)
    %n2 = NextIteration(%b)
    %o = Exit(%m)
  })");
  BatchEdit edit(*graph);
  edit.Replace(graph->FindNode("n")->output(), graph->FindNode("n2")->output());
  edit.Erase(*graph->FindNode("n"));
  edit.Erase(*graph->FindNode("a"));
  ASSERT_TRUE(edit.Commit());
  EXPECT_TRUE(Verify(*graph).ok()) << Verify(*graph).message();
  EXPECT_EQ(graph->FindNode("m")->input(1).node, graph->FindNode("n2"));
}

}  // namespace
}  // namespace sluice
