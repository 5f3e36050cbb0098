#include "sluice/kernels/cuda/formula_source.h"

#include <gtest/gtest.h>

#include "sluice/op/registry.h"

namespace sluice {
namespace {

TEST(FormulaSource, KeepsWhatIsAboutNumbers) {
  EXPECT_EQ(NumberDeclarations("#include <cmath>\n"
                               "\nnamespace {\n"
                               "\n"
                               "constexpr float kHalf = 0.5f;\n"
                               "\n"
                               "struct ScaleFn : OneNumber {\n"
                               "  static constexpr const char* kAttrs[] = "
                               "{\"scale\"};\n"
                               "  template <class C>\n"
                               "  static C Apply(C x, C a) {\n"
                               "    return x * a;\n"
                               "  }\n"
                               "};\n"
                               "\n"
                               "double Ref(const Attrs& attrs) {\n"
                               "  return 1;\n"
                               "}\n"
                               "void Grad(GradContext& g) {}\n"
                               "std::vector<Sample> Samples() {\n"
                               "  return {};\n"
                               "}\n"
                               "\n}  // namespace\n"
                               "SL_OP(Scale)"),
            "constexpr float kHalf = 0.5f;\n"
            "struct ScaleFn : OneNumber {\n"
            "  static constexpr const char* kAttrs[] = {\"scale\"};\n"
            "  template <class C>\n"
            "  static C Apply(C x, C a) {\n"
            "    return x * a;\n"
            "  }\n"
            "};\n");
}

TEST(FormulaSource, AFileWithoutSuchDeclarationsGivesNone) {
  EXPECT_EQ(NumberDeclarations("SL_OP(Add)"), "");
  EXPECT_EQ(NumberDeclarations(""), "");
  EXPECT_EQ(NumberDeclarations("\nnamespace {\n\n}  // namespace\n"), "");
  EXPECT_EQ(FormulaSource("no/such/file.cc"), "");
}

TEST(FormulaSource, FindsTheOpsOwnFile) {
  const OpRecord* op = FindOp("LeakyRelu");
  ASSERT_TRUE(op);
  EXPECT_NE(FormulaSource(op->line.file).find("struct LeakyReluFn"),
            std::string::npos);
}

TEST(FormulaSource, NamesAreThoseOfTheSource) {
  EXPECT_EQ(PlainFormulaName("sluice::(anonymous namespace)::ClampFn<true>"),
            "ClampFn<true>");
  EXPECT_EQ(PlainFormulaName("sluice::{anonymous}::AddFn"), "AddFn");
  EXPECT_EQ(PlainFormulaName("A<sluice::<unnamed>::B, sluice::C>"), "A<B, C>");
}

}  // namespace
}  // namespace sluice
