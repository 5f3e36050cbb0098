// Building graphs: operands, lines, names, scopes.
#include "sluice/eager/call.h"

#include "sluice/front/front_test_util.h"

namespace sluice {
namespace {

class Building : public ::testing::Test {
 protected:
  Graph graph_{"test"};
  GraphScope scope_{graph_};
};

TEST_F(Building, CppValuesTakeTheTensorsType) {
  for (DType dtype : {DType::kF32, DType::kF64, DType::kF16, DType::kI64}) {
    Tensor x = placeholder(dtype, {2});
    Tensor y = 2 * x + 1;
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_EQ(y.shape(), (PartialShape{2}));
  }
}

TEST_F(Building, AValueTheTypeCannotHoldIsAnErrorWithTheLine) {
  Tensor x = placeholder(i32, {2});
  std::string error = ErrorOf([&] { (void)(x * 3'000'000'000); });
  int line = __LINE__ - 1;
  Contains(error, "[Mul] b: the value 3000000000 of type i64 is no i32");
  Contains(error, "call_test.cc:" + std::to_string(line));
}

TEST_F(Building, OperatorsKnowTheirLine) {
  Tensor x = placeholder(f32, {2});
  Tensor sum = x + 1;
  int line = __LINE__ - 1;
  Tensor negative = -sum;
  EXPECT_EQ(sum.operation().node().line().line, line);
  EXPECT_EQ(negative.operation().node().line().line, line + 2);
  Contains(sum.operation().node().line().file, "call_test.cc");
}

TEST_F(Building, FunctionsKnowTheirLine) {
  Tensor x = placeholder(f32, {2, 3});
  Tensor y = matmul(x, x, {.transpose_b = true});
  EXPECT_EQ(y.operation().node().line().line, __LINE__ - 1);
  EXPECT_EQ(y.shape(), (PartialShape{2, 2}));
}

TEST_F(Building, ErrorsNameOpLineAndOperands) {
  Tensor a = placeholder(f32, {64, 784}, "a");
  Tensor b = placeholder(f32, {100, 10}, "b");
  std::string error = ErrorOf([&] { matmul(a, b); });
  int line = __LINE__ - 1;
  EXPECT_EQ(error,
            "[MatMul] inner sizes differ: a is f32[64,784], b is f32[100,10]; "
            "wanted a.dim(1) == b.dim(0)\n  at call_test.cc:" +
                std::to_string(line) + "  a = \"a\", b = \"b\"");
}

TEST_F(Building, AnUnknownOpIsNamed) {
  Contains(ErrorOf([] { call("MatMull", {1, 2}); }), "MatMull");
}

TEST_F(Building, AnEmptyTensorIsRefused) {
  Tensor empty;
  Contains(ErrorOf([&] { (void)(empty + 1); }), "holds nothing");
  Contains(ErrorOf([&] { (void)empty.dtype(); }), "holds nothing");
  Contains(ErrorOf([&] { (void)Operation().name(); }), "holds nothing");
  EXPECT_FALSE(empty.defined());
}

TEST_F(Building, ListsTakeTensorsAndValues) {
  Tensor x = placeholder(f32, {2});
  EXPECT_EQ(concat({x, {1.0, 2.0}, x}).shape(), (PartialShape{6}));
  std::vector<Tensor> parts = split(concat({x, x}), 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].name(), "Split:1");
  EXPECT_EQ(concat(parts).shape(), (PartialShape{4}));
}

TEST_F(Building, VectorsOfNumbersServeAsOperands) {
  Tensor x = placeholder(f32, {2, 3});
  EXPECT_EQ(reshape(x, {3, 2}).shape(), (PartialShape{3, 2}));
  int64_t n = 6;
  EXPECT_EQ(reshape(x, {n, 1}).shape(), (PartialShape{6, 1}));
}

TEST_F(Building, CallTakesAnyOp) {
  Tensor x = placeholder(f32, {4, 2});
  std::vector<Tensor> parts =
      call("Split", {x}, {{"num", 2}}, {.name = "halves"});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name(), "halves");
  EXPECT_EQ(find_tensor(graph_, "halves:1").shape(), (PartialShape{2, 2}));
  Contains(ErrorOf([&] { find_tensor(graph_, "halves:2"); }), "halves");
  Contains(ErrorOf([&] { find_operation(graph_, "none"); }),
           "no node \"none\" in graph \"test\"");
}

TEST_F(Building, NamesAreExactAndScopesNest) {
  Tensor x = placeholder(f32, {}, "x");
  {
    NameScope encoder("encoder");
    EXPECT_EQ(placeholder(f32, {}, "x").name(), "encoder/x");
    NameScope layer("layer1");
    Tensor y = x + 1;
    EXPECT_EQ(y.name(), "encoder/layer1/Add");
    EXPECT_EQ(y.operation().node().scope(), "encoder/layer1");
  }
  EXPECT_EQ((x + 1).name(), "Add");
  Contains(ErrorOf([] { placeholder(f32, {}, "x"); }),
           "the name \"x\" is taken by a node made at call_test.cc:");
  Contains(ErrorOf([] { NameScope bad("/a"); }), "\"/a\"");
}

TEST_F(Building, ControlAndDeviceScopesApplyInside) {
  Operation first = no_op("first");
  Tensor x = placeholder(f32, {}, "x");
  Tensor inside;
  {
    ControlScope after({first});
    DeviceScope on("/cpu:0");
    inside = x + 1;
  }
  const Operation made = inside.operation();
  const Node& node = made.node();
  ASSERT_EQ(node.controls().size(), 1u);
  EXPECT_EQ(node.controls()[0], &first.node());
  EXPECT_EQ(node.device(), "/cpu:0");
  // The constant waits for nothing.
  EXPECT_TRUE(node.input(1).node->controls().empty());
  EXPECT_TRUE((x + 1).operation().node().controls().empty());
}

TEST_F(Building, GraphsDoNotMix) {
  Tensor x = placeholder(f32, {}, "x");
  Graph other("other");
  GraphScope inner(other);
  Tensor y = placeholder(f32, {}, "y");
  Contains(ErrorOf([&] { (void)(x + y); }), "belongs to graph");
  Contains(ErrorOf([&] { (void)-x; }),
           "[Neg] \"x\" belongs to graph \"test\"; wanted a value of the "
           "graph being built, \"other\"");
  Contains(ErrorOf([&] { ControlScope after({x.operation()}); }),
           "belongs to graph");
}

// It used to read: belongs to graph "main"; wanted a value of graph "main".
TEST(NoGraph, GraphsOfOneNameAreToldApartByLines) {
  Graph one, two;
  Tensor x;
  {
    GraphScope building(one);
    x = placeholder(f32, {}, "x");
  }
  GraphScope building(two);
  std::string text = ErrorOf([&] { (void)-x; });
  Contains(text, "[Neg] \"x\", made at ");
  Contains(text, "call_test.cc:");
  Contains(text, "belongs to another graph, which is called \"main\", too");
}

TEST(NoGraph, OpsGoToTheGraphOfTheirOperands) {
  Graph graph;
  Tensor x;
  {
    GraphScope building(graph);
    x = placeholder(f32, {3});
  }
  EXPECT_EQ(&(x + 1).graph(), &graph);
  Contains(ErrorOf([] { placeholder(f32); }), "no graph is open");
  Contains(ErrorOf([] { current_graph(); }), "no graph is open");
}

TEST_F(Building, ConstantsOfManyForms) {
  EXPECT_EQ(constant(0.5f).ToString(), "Const: f32[]");
  EXPECT_EQ(constant({1, 2, 3}, f32).dtype(), DType::kF32);
  EXPECT_EQ(constant({{1, 2}, {3, 4}}, "m").shape(), (PartialShape{2, 2}));
  EXPECT_EQ(zeros({2, 3}).shape(), (PartialShape{2, 3}));
  EXPECT_EQ(ones({2}, i64).dtype(), DType::kI64);
  EXPECT_EQ(full({4}, 7u).dtype(), DType::kU32);
  Contains(ErrorOf([] { constant(0.5, i32); }), "is no i32");
  Contains(ErrorOf([] { full({4}, {1, 2}); }), "wanted a scalar");
  Contains(ErrorOf([] { constant(Array()); }), "holds no array");
}

TEST_F(Building, SizesThatMakeNoShapeAreErrors) {
  int64_t huge = int64_t{1} << 40;
  EXPECT_NE(ErrorOf([] { zeros({-1}); }), "");
  EXPECT_NE(ErrorOf([&] { ones({huge, huge}); }), "");
  EXPECT_NE(ErrorOf([] { placeholder(f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}); }), "");
  EXPECT_NE(ErrorOf([&] { random_uniform({huge, huge}); }), "");
  EXPECT_NE(ErrorOf([] { random_uniform({any}); }), "");
}

}  // namespace
}  // namespace sluice
