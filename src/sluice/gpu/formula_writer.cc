#include "sluice/gpu/formula_writer.h"

#include "sluice/base/strings.h"
#include "sluice/gpu/fused_source.h"
#include "sluice/graph/graph.h"
#include "sluice/kernels/cuda/cuda_kernel.h"
#include "sluice/kernels/cuda/formula_source.h"
#include "sluice/tape/fusion.h"

namespace sluice {

namespace {

std::string ExactDouble(double v) {
  return GpuLiteral(Array::Scalar<double>(v));
}

}  // namespace

std::string_view FormulaWriter::Includes() {
  return "#include \"sluice/cuda/elementwise.cuh\"\n"
         "#include \"sluice/kernels/cpu/vector_math.h\"\n"
         "#include \"sluice/cuda/gamma.cuh\"\n";
}

// The formulas of one file are written once, in their own namespace, because
// other files may use the same names.
std::string FormulaWriter::SpaceOf(const OpRecord& op) {
  auto [it, fresh] =
      spaces_.emplace(op.line.file, StrCat("op", spaces_.size()));
  if (fresh) {
    StrAppend(formulas_, "namespace ", it->second, " {\n",
              FormulaSource(op.line.file), "}\n");
  }
  return it->second;
}

bool FormulaWriter::Add(const Node& node, std::string& lines) {
  BlockKernel block = SelectBlock(node);
  if (!block.fn || block.formula.empty()) return false;
  std::string out(CudaTypeName(node.output_type(0).dtype));
  std::string formula = PlainFormulaName(block.formula);
  if (formula == "formula::Convert") {
    formula = StrCat("formula::ConvertTo<", out, ">");
  } else if (!formula.starts_with("formula::")) {
    formula = StrCat(SpaceOf(node.op()), "::", formula);
  }
  std::string first(CudaTypeName(node.input(0).dtype()));
  std::string name = StrCat("v", count_++);
  StrAppend(lines, "  ", out, " ", name, " = Narrow<", out, ">(ApplyFormula<",
            formula, ", Compute<", first, ">>(BlockParams{{",
            ExactDouble(block.params.p[0]), ", ",
            ExactDouble(block.params.p[1]), "}}");
  for (const Value& v : node.inputs()) {
    StrAppend(lines, ", Widen(", names_.at(v), ")");
  }
  lines += "));\n";
  names_[{const_cast<Node*>(&node), 0}] = name;
  return true;
}

std::string WalkLines(const std::string& steps, std::string_view flat) {
  return StrCat(
      "    uint32_t small = uint32_t(", flat, ");\n    int64_t rest = ", flat,
      ";\n"
      "    for (int axis = 0; axis < a.rank; ++axis) {\n"
      "      int64_t index;\n"
      "      if (a.packed & 1) {  // all places fit 32 bits\n"
      "        uint32_t size = uint32_t(a.size[axis]), next = small / size;\n"
      "        index = small - next * size;\n"
      "        small = next;\n"
      "      } else {\n"
      "        int64_t next = rest / a.size[axis];\n"
      "        index = rest - next * a.size[axis];\n"
      "        rest = next;\n"
      "      }\n",
      steps, "    }\n");
}

}  // namespace sluice
