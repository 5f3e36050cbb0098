#include "sluice/passes/prune.h"

#include "sluice/passes/pass_test_util.h"

namespace sluice {
namespace {

class PruneTest : public testing::Test {
 protected:
  void Parse(std::string_view text) { user_ = ParseOrDie(text); }
  Value value(std::string_view name) { return *user_->FindValue(name); }
  std::vector<Value> values(const std::vector<const char*>& names) {
    std::vector<Value> out;
    for (const char* name : names) out.push_back(value(name));
    return out;
  }
  std::vector<Node*> nodes(const std::vector<const char*>& names) {
    std::vector<Node*> out;
    for (const char* name : names) out.push_back(user_->FindNode(name));
    return out;
  }

  void Expect(const std::vector<const char*>& feeds,
              const std::vector<const char*>& fetches,
              const std::vector<const char*>& targets, std::string_view want) {
    std::string before = PrintGraph(*user_);
    Result<std::unique_ptr<Graph>> pruned =
        Prune(*user_, values(feeds), values(fetches), nodes(targets));
    ASSERT_TRUE(pruned.ok()) << pruned.status().message();
    EXPECT_TRUE(Verify(**pruned).ok()) << Verify(**pruned).message();
    PrintOptions plain{.types = false, .lines = false};
    EXPECT_EQ(PrintGraph(**pruned, plain),
              PrintGraph(*ParseOrDie(want), plain));
    EXPECT_EQ(PrintGraph(*user_), before);
  }
  void ExpectError(const Result<std::unique_ptr<Graph>>& pruned,
                   std::string_view message) {
    ASSERT_FALSE(pruned.ok());
    EXPECT_NE(pruned.status().message().find(message), std::string::npos)
        << pruned.status().message();
  }

  std::unique_ptr<Graph> user_;
};

constexpr std::string_view kUser = R"(graph user() {
  %x = Placeholder [dtype = f32, shape = [2]]
  %init = TestNoOp()
  %a = Neg(%x) after %init
  %parts = Split(%a) [num = 2]
  %b = Exp(%parts)
  %c = Exp(%parts:1)
  %unused = Exp(%c)
})";

TEST_F(PruneTest, CopiesWhatIsNeededInProgramOrder) {
  Parse(kUser);
  Expect({"x"}, {"c"}, {}, R"(graph user(%x: f32[2]) -> (%c) {
    %init = TestNoOp()
    %a = Neg(%x) after %init
    %parts = Split(%a) [num = 2]
    %c = Exp(%parts:1)
  })");
}

TEST_F(PruneTest, StopsAtFedEdges) {
  Parse(kUser);
  Expect({"parts"}, {"b"}, {}, R"(graph user(%parts: f32[1]) -> (%b) {
    %b = Exp(%parts)
  })");
  // Output 1 is fed, output 0 is not: the producer stays for output 0.
  Expect({"x", "parts:1"}, {"b", "c"}, {},
         R"(graph user(%x: f32[2], %"parts:1": f32[1]) -> (%b, %c) {
    %init = TestNoOp()
    %a = Neg(%x) after %init
    %parts = Split(%a) [num = 2]
    %b = Exp(%parts)
    %c = Exp(%"parts:1")
  })");
}

TEST_F(PruneTest, FedNodeStaysForThoseWhoWaitForIt) {
  Parse(R"(graph user(%x: f32[]) {
    %a = Neg(%x)
    %b = Exp(%a)
    %c = TestNoOp() after %a
  })");
  Expect({"x", "a"}, {"b"}, {"c"},
         R"(graph user(%x: f32[], %a_1 named "a": f32[]) -> (%b) run %c {
    %a = Neg(%x)
    %b = Exp(%a_1)
    %c = TestNoOp() after %a
  })");
}

// It used to be kept as a node, which then complained that it was not fed.
TEST_F(PruneTest, FedPlaceholderThatIsOnlyWaitedForIsGone) {
  Parse(R"(graph user() {
    %x = Placeholder [dtype = f32, shape = [2]]
    %one = Const [value = 1 : f32[]]
    %y = Neg(%one) after %x
  })");
  Expect({"x"}, {"y"}, {}, R"(graph user(%x: f32[2]) -> (%y) {
    %one = Const [value = 1 : f32[]]
    %y = Neg(%one)
  })");
  Expect({"x"}, {}, {"x"}, "graph user(%x: f32[2]) {}");
}

TEST_F(PruneTest, FetchesMayRepeatAndMayBeFed) {
  Parse(kUser);
  Expect({"a"}, {"a", "b", "a", "b"}, {},
         R"(graph user(%a: f32[2]) -> (%a, %b, %a, %b) {
    %parts = Split(%a) [num = 2]
    %b = Exp(%parts)
  })");
}

TEST_F(PruneTest, TargetsRunWithoutBeingFetched) {
  Parse(kUser);
  Expect({}, {}, {"init"}, "graph user() run %init { %init = TestNoOp() }");
  Expect({}, {}, {}, "graph user() {}");
}

TEST_F(PruneTest, RegionsBringWhatTheyCapture) {
  Parse(R"(graph user(%p: bool[]) {
    %a = TestDraw()
    %b = TestDraw()
    %c = TestDraw()
    %d = TestNoOp()
    %unused = TestDraw()
    %y = TestIf(%p) [dtype = f32] {
      then() { %n = Neg(%a) after %d  %m = TestIf(%p) [dtype = f32] {
        then() { %o = Neg(%c) yield %o } else() { yield %n } } yield %m }
      else() { yield %b }
    }
  })");
  Expect({"p", "c"}, {"y"}, {}, R"(graph user(%p: bool[], %c: f32[]) -> (%y) {
    %a = TestDraw()
    %b = TestDraw()
    %d = TestNoOp()
    %y = TestIf(%p) [dtype = f32] {
      then() { %n = Neg(%a) after %d  %m = TestIf(%p) [dtype = f32] {
        then() { %o = Neg(%c) yield %o } else() { yield %n } } yield %m }
      else() { yield %b }
    }
  })");
}

TEST_F(PruneTest, FeedTypesRefineTheArgument) {
  Parse(R"(graph user() {
    %x = Placeholder [dtype = f32, shape = [?,4]]
    %y = Neg(%x)
  })");
  std::vector<ValueType> types{{DType::kF32, PartialShape({8, kUnknownDim})}};
  auto pruned = Prune(*user_, values({"x"}), values({"y"}), {}, types);
  ASSERT_TRUE(pruned.ok()) << pruned.status().message();
  EXPECT_EQ((*pruned)->root().arg(0).type().ToString(), "f32[8,4]");
  types[0].dtype = DType::kI32;
  ExpectError(Prune(*user_, values({"x"}), values({"y"}), {}, types),
              "feed \"x\" is i32[8,?]; wanted f32[?,4]");
  types[0] = {DType::kF32, PartialShape({8, 5})};
  ExpectError(Prune(*user_, values({"x"}), values({"y"}), {}, types),
              "feed \"x\" is f32[8,5]; wanted f32[?,4]");
}

TEST_F(PruneTest, Errors) {
  Parse(R"(graph user(%p: bool[]) {
    %y = TestIf(%p) [dtype = f32] {
      then() { %n = TestDraw() yield %n } else() { }
    }
  })");
  ExpectError(Prune(*user_, values({"p", "p"}), {}, {}), "\"p\" is fed twice");
  ExpectError(
      Prune(*user_, {}, values({"y"}), {}),
      "argument \"p\" of graph \"user\" is needed; wanted it to be fed");
  ExpectError(Prune(*user_, values({"n"}), {}, {}),
              "feed \"n\" lies inside a region of graph \"user\"");
  ExpectError(Prune(*user_, {}, values({"n"}), {}), "fetch \"n\" lies inside");
  ExpectError(Prune(*user_, std::vector<Value>{Value()}, {}, {}),
              "a feed is not a value of any node");
  ExpectError(
      Prune(*user_, std::vector<Value>{{user_->FindNode("y"), 1}}, {}, {}),
      "a feed is not a value of any node");
  ExpectError(Prune(*user_, {}, {}, nodes({"n"})),
              "a target is not a node of graph \"user\"");
  auto other = ParseOrDie("graph other(%x: f32[]) { %z = Neg(%x) }");
  std::vector<Value> foreign{other->FindNode("z")->output()};
  ExpectError(Prune(*user_, foreign, {}, {}),
              "feed \"z\" does not belong to graph \"user\"");
  ExpectError(Prune(*user_, {}, foreign, {}),
              "fetch \"z\" does not belong to graph \"user\"");
}

TEST_F(PruneTest, NodeMapSaysWhichNodeBecameWhich) {
  Parse(kUser);
  Graph::NodeMap map;
  auto pruned = Prune(*user_, values({"x"}), values({"b"}), {}, {}, &map);
  ASSERT_TRUE(pruned.ok());
  EXPECT_EQ(map.at(user_->FindNode("b")), (*pruned)->FindNode("b"));
  EXPECT_EQ(map.count(user_->FindNode("c")), 0u);
}

TEST_F(PruneTest, LongChainsNeedNoStack) {
  constexpr int kNodes = 100000;
  Graph graph("chain");
  Value x = *graph.AddArg(graph.root(), "x", {DType::kF32, Shape()});
  Value last = x;
  for (int i = 0; i < kNodes; ++i) {
    last = (*graph.Add(graph.root(), "Neg", std::vector<Value>{last}, {}))
               ->output();
  }
  auto pruned =
      Prune(graph, std::vector<Value>{x}, std::vector<Value>{last}, {});
  ASSERT_TRUE(pruned.ok()) << pruned.status().message();
  EXPECT_EQ((*pruned)->num_nodes(), kNodes);
}

}  // namespace
}  // namespace sluice
