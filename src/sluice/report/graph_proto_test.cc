#include "sluice/report/graph_proto.h"

#include <gtest/gtest.h>
#include <sluice/sluice.h>

#include <map>

#include "sluice/graph/region_op_test_util.h"
#include "sluice/graph/text_parser.h"
#include "sluice/report/proto_reader_test_util.h"
#include "sluice/report/report_test_util.h"

namespace sluice::report {
namespace {

// Node messages by name.
std::map<std::string, ProtoMessage> NodesOf(const Graph& graph) {
  std::map<std::string, ProtoMessage> nodes;
  for (const std::string& bytes : ProtoMessage(GraphDefBytes(graph)).all(1)) {
    ProtoMessage node(bytes);
    EXPECT_TRUE(nodes.emplace(node.bytes(1), node).second)
        << node.bytes(1) << " is there twice";
  }
  return nodes;
}

std::string AttrOf(const ProtoMessage& node, std::string_view name) {
  for (const std::string& entry : node.all(5)) {
    if (ProtoMessage(entry).bytes(1) == name)
      return ProtoMessage(entry).bytes(2);
  }
  ADD_FAILURE() << "no attribute " << name;
  return "";
}

// Sizes of output i; -1 unknown.
std::vector<int64_t> Sizes(const ProtoMessage& node, size_t i) {
  std::vector<std::string> shapes =
      ProtoMessage(AttrOf(node, "_output_shapes")).message(1).all(7);
  EXPECT_LT(i, shapes.size());
  std::vector<int64_t> sizes;
  for (const std::string& dim : ProtoMessage(shapes[i]).all(2)) {
    sizes.push_back(ProtoMessage(dim).integer(1));
  }
  return sizes;
}

using Names = std::vector<std::string>;

TEST(GraphProto, NodesWithScopesInputsControlsDevicesAndShapes) {
  Graph graph;
  {
    GraphScope building(graph);
    Tensor x = placeholder(f32, {any, 4}, "x");
    DeviceScope on("/cpu:0");
    NameScope layer("encoder");
    std::vector<Tensor> parts =
        call("Split", {x}, {{"num", 2}, {"axis", 1}}, {.name = "parts"});
    ControlScope after({parts[0].operation()});
    call("Add", {parts[0], parts[1]}, {}, {.name = "sum"});
  }
  auto nodes = NodesOf(graph);
  ASSERT_TRUE(nodes.count("x") && nodes.count("encoder/parts") &&
              nodes.count("encoder/sum"));
  const ProtoMessage& sum = nodes.at("encoder/sum");
  EXPECT_EQ(sum.bytes(2), "Add");
  EXPECT_EQ(sum.all(3),
            (Names{"encoder/parts", "encoder/parts:1", "^encoder/parts"}));
  EXPECT_EQ(sum.bytes(4), "/cpu:0");
  EXPECT_EQ(Sizes(sum, 0), (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(nodes.at("x").bytes(4), "");
  EXPECT_EQ(Sizes(nodes.at("encoder/parts"), 1), (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(ProtoMessage(AttrOf(nodes.at("encoder/parts"), "axis")).integer(3),
            1);
  Contains(ProtoMessage(AttrOf(sum, "_line")).bytes(2), "graph_proto_test.cc:");
}

TEST(GraphProto, AttributesOfEveryKind) {
  Graph graph;
  Attrs attrs = {{"b", true},
                 {"i", int64_t{-2}},
                 {"f", 1.5},
                 {"s", "text"},
                 {"t", DType::kBF16},
                 {"shape", PartialShape({2, kUnknownDim})},
                 {"a", Array::Vector<int32_t>({1, 2})},
                 {"is", std::vector<int64_t>{3, 4}},
                 {"fs", std::vector<double>{0.5}},
                 {"ss", std::vector<std::string>{"p", "q"}},
                 {"ts", std::vector<DType>{DType::kF32}},
                 {"shapes", std::vector<PartialShape>{PartialShape()}}};
  NodeOptions options;
  options.name = "n";
  ASSERT_TRUE(graph.Add(graph.root(), "TestAttrs", {}, attrs, options).ok());
  ProtoMessage n = NodesOf(graph).at("n");
  auto attr = [&](const char* name) { return ProtoMessage(AttrOf(n, name)); };
  EXPECT_EQ(attr("b").integer(5), 1);
  EXPECT_EQ(attr("i").integer(3), -2);
  EXPECT_EQ(attr("f").real32(4), 1.5f);
  EXPECT_EQ(attr("s").bytes(2), "text");
  EXPECT_EQ(attr("t").integer(6), 14);
  EXPECT_EQ(ProtoMessage(attr("shape").message(7).all(2)[1]).integer(1), -1);
  EXPECT_EQ(attr("a").bytes(2), "i32[2] [1 2]");
  EXPECT_EQ(attr("is").message(1).integer(3), 3);
  EXPECT_EQ(attr("fs").message(1).real32(4), 0.5f);
  EXPECT_EQ(attr("ss").message(1).all(2), (Names{"p", "q"}));
  EXPECT_EQ(attr("ts").message(1).integer(6), 1);
  EXPECT_EQ(attr("shapes").message(1).message(7).integer(3), 1);
}

TEST(GraphProto, RegionsAreScopesBelowTheirOwner) {
  auto graph = ParseGraph(R"(graph g(%a: f32[]) {
  %loop = TestWhile(%a) [dtypes = {f32}] {
    cond(%z: f32[]) {
      %small = Less(%z, 5)
      yield %small
    }
    body(%z: f32[]) {
      %more = Add(%z, %a)
      yield %more
    }
  }
})");
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  auto nodes = NodesOf(**graph);
  for (const char* name : {"a", "loop", "loop/cond/z", "loop/cond/small",
                           "loop/cond/Yield", "loop/body/more"}) {
    ASSERT_TRUE(nodes.count(name)) << name;
  }
  EXPECT_EQ(nodes.at("a").bytes(2), "Arg");
  EXPECT_EQ(nodes.at("loop/body/more").all(3), (Names{"loop/body/z", "a"}));
  EXPECT_EQ(nodes.at("loop/body/Yield").all(3), Names{"loop/body/more"});
  EXPECT_EQ(nodes.at("loop").all(3),
            (Names{"a", "^loop/cond/Yield", "^loop/body/Yield"}));
}

}  // namespace
}  // namespace sluice::report
