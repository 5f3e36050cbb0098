#include "apps/op_pages/ops_header.h"

#include <gtest/gtest.h>

#include <array>

#include "apps/op_pages/ops_markdown.h"
#include "sluice/op/op_function.h"
#include "sluice/op/registry.h"

namespace sluice {
namespace {

OpRecord Named(std::string name) {
  OpRecord op;
  op.name = std::move(name);
  op.doc = "Does a thing.";
  return op;
}

AttrSpec Attr(std::string name, AttrKind kind, AttrValue default_value) {
  AttrSpec attr;
  attr.name = std::move(name);
  attr.kind = kind;
  attr.default_value = std::move(default_value);
  return attr;
}

TEST(OpFunction, NamesFollowFromTheOps) {
  EXPECT_EQ(FunctionName(Named("SoftmaxCrossEntropy")),
            "softmax_cross_entropy");
  EXPECT_EQ(FunctionName(*FindOp("MatMul")), "matmul");
  EXPECT_EQ(FunctionName(Named("AddN")), "add_n");
  EXPECT_EQ(FunctionName(Named("Expm1")), "expm1");
  EXPECT_EQ(FunctionName(Named("LSTMCell")), "lstm_cell");
  EXPECT_EQ(FunctionName(Named("Conv2D")), "conv2d");
  EXPECT_EQ(FunctionName(Named("Conv2DInputGrad")), "conv2d_input_grad");
  EXPECT_EQ(FunctionName(Named("Switch")), "switch_");
  EXPECT_EQ(FunctionName(*FindOp("Any")), "any_of");
  EXPECT_EQ(ParameterName("where"), "where_");
  EXPECT_EQ(ParameterName("default"), "default_");
  EXPECT_EQ(ParameterName("name"), "name_");
  EXPECT_EQ(ParameterName("x"), "x");
}

TEST(OpFunction, NoTwoOpsShareAName) {
  std::vector<std::string> names;
  for (const OpRecord* op : AllOps()) {
    if (HasFunction(*op)) names.push_back(FunctionName(*op));
  }
  EXPECT_GT(names.size(), 50u);
  std::sort(names.begin(), names.end());
  auto twice = std::adjacent_find(names.begin(), names.end());
  EXPECT_TRUE(twice == names.end()) << *twice;
}

TEST(OpFunction, StateStructureConstantsAndInternalOpsHaveNone) {
  for (const char* name : {"Variable", "Assign", "Dequeue", "Placeholder",
                           "Const", "FifoQueue", "ReluGrad"}) {
    ASSERT_TRUE(FindOp(name)) << name;
    EXPECT_FALSE(HasFunction(*FindOp(name))) << name;
  }
}

std::string HeaderOf(const OpRecord& op) {
  const OpRecord* ops[] = {&op};
  return OpsHeader(ops);
}

std::string SourceOf(const OpRecord& op) {
  const OpRecord* ops[] = {&op};
  return OpsSource(ops);
}

void ExpectContains(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(OpsHeader, OptionalAttributesBecomeAStruct) {
  OpRecord op = Named("Thing");
  op.inputs = {{"x", "T", false, ""}};
  op.outputs = {{"y", "T", false, ""}};
  op.attrs = {Attr("size", AttrKind::kInt, {}),
              Attr("text", AttrKind::kString, "a\"b\n"),
              Attr("scale", AttrKind::kFloat, 2.0),
              Attr("axes", AttrKind::kInts, std::vector<int64_t>{-1, 2})};
  op.attrs[2].doc = "How much.";
  std::string text = HeaderOf(op);
  ExpectContains(text, "  std::string text = \"a\\\"b\\n\";\n");
  ExpectContains(text, "  // How much.\n  double scale = 2.0;\n");
  ExpectContains(text, "  std::vector<int64_t> axes{-1, 2};\n");
  ExpectContains(text,
                 "Tensor thing(\n    const Operand& x,\n    int64_t "
                 "size,\n    const op_options::Thing& options = {},\n");
  ExpectContains(SourceOf(op), "{\"size\", size}, {\"text\", options.text}");
}

TEST(OpsHeader, SeveralOutputsBecomeAStructAndListsAVector) {
  OpRecord top = Named("TopK");
  top.inputs = {{"x", "T", false, ""}};
  top.outputs = {{"values", "T", false, ""}, {"indices", "i64", false, ""}};
  ExpectContains(HeaderOf(top),
                 "namespace op_results {\nstruct TopK {\n  Tensor values;\n  "
                 "Tensor indices;\n};\n}  // namespace op_results\n"
                 "op_results::TopK top_k(");
  ExpectContains(SourceOf(top), "return {made[0], made[1]};");

  OpRecord parts = Named("Parts");
  parts.inputs = {{"xs", "T", true, ""}, {"n", "i64", false, ""}};
  parts.outputs = {{"ys", "T", true, "num"}};
  ExpectContains(HeaderOf(parts), "std::vector<Tensor> parts(");
  ExpectContains(SourceOf(parts), "operands.push_back(n);");

  OpRecord none = Named("Nothing");
  ExpectContains(HeaderOf(none), "Operation nothing(");
}

// Whoever includes the header pays for what is in it: it declares, with the
// caller's line as a default, and the source defines, without.
TEST(OpsHeader, DeclaresWhatTheSourceDefines) {
  OpRecord op = Named("Thing");
  op.inputs = {{"x", "T", false, ""}};
  op.outputs = {{"y", "T", false, ""}};
  const char* declared =
      "Tensor thing(\n    const Operand& x,\n    std::string_view name = {},\n"
      "    std::source_location where = std::source_location::current());\n";
  const char* defined =
      "Tensor thing(\n    const Operand& x,\n    std::string_view name,\n"
      "    std::source_location where) {\n";
  ExpectContains(HeaderOf(op), declared);
  ExpectContains(SourceOf(op), defined);
  EXPECT_EQ(HeaderOf(op).find("CallOne"), std::string::npos);
}

TEST(OpsMarkdown, SaysWhatTheRecordSays) {
  const OpRecord* ops[] = {FindOp("MatMul")};
  ASSERT_TRUE(ops[0]);
  std::string text = OpsMarkdown(ops);
  ExpectContains(text, "## math\n\n### MatMul\n\n");
  ExpectContains(text, "- C++: `sluice::matmul`\n");
  ExpectContains(OpsMarkdown(std::array{FindOp("Sub")}),
                 "- simplified: x - 0 = x\n");
  ExpectContains(text, "- attribute `transpose_a`, bool, default `false`");
  EXPECT_EQ(text.back(), '\n');
  EXPECT_NE(text[text.size() - 2], '\n');
}

TEST(OpsMarkdown, InternalOpsHaveAPageOfTheirOwn) {
  const OpRecord* ops[] = {FindOp("Relu"), FindOp("ReluGrad")};
  std::string page = OpsMarkdown(ops), internal = InternalOpsMarkdown(ops);
  ExpectContains(page, "### Relu\n");
  ExpectContains(internal, "### ReluGrad\n");
  EXPECT_EQ(page.find("### ReluGrad"), std::string::npos);
  EXPECT_EQ(internal.find("### Relu\n"), std::string::npos);
}

}  // namespace
}  // namespace sluice
