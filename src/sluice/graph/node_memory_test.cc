// Tests the memory of a node, the data that nodes share, and the name table.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"

namespace sluice {
namespace {

Node* Const(Graph& graph, float value, const NodeOptions& options = {}) {
  return *graph.Add(graph.root(), "Const", {},
                    {{"value", Array::Scalar<float>(value)}}, options);
}

Node* Cast(Graph& graph, Value x, DType to) {
  return *graph.Add(graph.root(), "Cast", {{x}}, {{"dtype", to}});
}

// For a million nodes, three graphs exist while the first step is planned.
TEST(NodeMemory, ANodeIsSmall) { EXPECT_LE(sizeof(Node), 160u); }

TEST(NodeMemory, EqualNodesAndCopiesShareWhatTheySay) {
  Graph graph;
  NodeOptions options;
  options.scope = "a/b";
  Node* x = Const(graph, 1, options);
  Node* y = Const(graph, 2, options);
  Node* a = Cast(graph, x->output(), DType::kF64);
  Node* b = Cast(graph, y->output(), DType::kF64);
  EXPECT_EQ(&x->output_type(0), &y->output_type(0));
  EXPECT_EQ(&x->scope(), &y->scope());
  EXPECT_EQ(&a->attrs(), &b->attrs());
  EXPECT_NE(&x->attrs(), &y->attrs());

  Graph::NodeMap nodes;
  auto copy = graph.Clone(nullptr, &nodes);
  EXPECT_EQ(&nodes.at(a)->attrs(), &a->attrs());
  // A write in one graph does not affect the other.
  copy->SetAttr(*nodes.at(a), "dtype", DType::kI32);
  copy->SetOutputShape(*nodes.at(a), 0, PartialShape());
  EXPECT_EQ(a->attrs().get<DType>("dtype"), DType::kF64);
  EXPECT_EQ(b->attrs().get<DType>("dtype"), DType::kF64);
  EXPECT_EQ(nodes.at(b)->attrs().get<DType>("dtype"), DType::kF64);
  EXPECT_EQ(nodes.at(a)->attrs().get<DType>("dtype"), DType::kI32);
  EXPECT_FALSE(nodes.at(a)->output_type(0).shape.rank_known());
  EXPECT_TRUE(nodes.at(b)->output_type(0).shape.rank_known());
}

TEST(NodeMemory, ACopyOutlivesItsGraph) {
  auto graph = std::make_unique<Graph>();
  NodeOptions options;
  options.scope = "a scope that is not short";
  Cast(*graph, Const(*graph, 1, options)->output(), DType::kF64);
  auto copy = graph->Clone();
  graph = nullptr;
  const Node* constant = copy->root().nodes()[0];
  EXPECT_EQ(constant->scope(), "a scope that is not short");
  EXPECT_EQ(constant->output_type(0).dtype, DType::kF32);
  EXPECT_EQ(copy->root().nodes()[1]->attrs().get<DType>("dtype"), DType::kF64);
}

// Compared with a map, while nodes are added and removed.
TEST(NameTable, FindsWhatIsThere) {
  std::mt19937 random(3);
  Graph graph;
  std::map<std::string, Node*> model;
  for (int round = 0; round < 4000; ++round) {
    std::string name = StrCat("node_", random() % 300);
    auto it = model.find(name);
    if (it == model.end()) {
      NodeOptions options;
      options.name = name;
      model[name] = Const(graph, 0, options);
    } else {
      graph.Erase(*it->second);
      model.erase(it);
    }
    std::string other = StrCat("node_", random() % 300);
    auto wanted = model.find(other);
    ASSERT_EQ(graph.FindNode(other),
              wanted == model.end() ? nullptr : wanted->second);
  }
}

TEST(Arguments, NamesOfManyAreToldApart) {
  Graph graph;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(
        graph.AddArg(graph.root(), StrCat("x", i), {DType::kF32, {}}).ok());
    EXPECT_FALSE(
        graph.AddArg(graph.root(), StrCat("x", i / 2), {DType::kF32, {}}).ok());
  }
  auto copy = graph.Clone();
  EXPECT_FALSE(copy->AddArg(copy->root(), "x77", {DType::kF32, {}}).ok());
  EXPECT_EQ(copy->FindValue("x77")->index, 77);
  EXPECT_FALSE(copy->FindValue("x100").ok());
}

}  // namespace
}  // namespace sluice
