#include "sluice/vm/scalar.h"

#include <string_view>

#include "sluice/vm/program.h"

namespace sluice {

namespace {

struct Row {
  std::string_view op;
  DType dtype;  // of the operands
  BytecodeScalar scalar;
  DType out = DType::kInvalid;  // of the result, if operands do not determine
                                // it
};

// By op name, because a formula does not reveal what it computes; a test
// compares each of them with its block function.
constexpr Row kRows[] = {
#define SL_FOUR(op, code, swap)                      \
  {op, DType::kI32, {Do::k##code##I32, swap}},       \
      {op, DType::kI64, {Do::k##code##I64, swap}},   \
      {op, DType::kF32, {Do::k##code##F32, swap}}, { \
    op, DType::kF64, { Do::k##code##F64, swap }      \
  }
#define SL_TWO(op, code, type1, type2)           \
  {op, DType::k##type1, {Do::k##code##type1}}, { \
    op, DType::k##type2, { Do::k##code##type2 }  \
  }
#define SL_CAST(from, to) \
  {"Cast", DType::k##from, {Do::k##from##To##to}, DType::k##to}
    SL_FOUR("Add", Add, false),
    SL_FOUR("Sub", Sub, false),
    SL_FOUR("Mul", Mul, false),
    SL_FOUR("Less", Less, false),
    SL_FOUR("LessEqual", LessEqual, false),
    SL_FOUR("Greater", Less, true),
    SL_FOUR("GreaterEqual", LessEqual, true),
    SL_FOUR("Equal", Equal, false),
    SL_FOUR("NotEqual", NotEqual, false),
    SL_FOUR("Maximum", Maximum, false),
    SL_FOUR("Minimum", Minimum, false),
    SL_FOUR("Neg", Neg, false),
    SL_FOUR("Abs", Abs, false),
    SL_FOUR("Square", Square, false),
    SL_FOUR("Div", Div, false),
    SL_TWO("FloorDiv", FloorDiv, I32, I64),
    SL_TWO("Mod", Mod, I32, I64),
    SL_TWO("Sqrt", Sqrt, F32, F64),
    SL_CAST(I32, I64),
    SL_CAST(I32, F32),
    SL_CAST(I32, F64),
    SL_CAST(I64, I32),
    SL_CAST(I64, F32),
    SL_CAST(I64, F64),
    SL_CAST(F32, F64),
    SL_CAST(F64, F32),
    SL_CAST(Bool, I32),
    SL_CAST(Bool, I64),
    SL_CAST(Bool, F32),
    SL_CAST(Bool, F64),
#undef SL_FOUR
#undef SL_TWO
#undef SL_CAST
    {"LogicalAnd", DType::kBool, {Do::kAnd}},
    {"LogicalOr", DType::kBool, {Do::kOr}},
    {"LogicalNot", DType::kBool, {Do::kNot}},
    {"Select", DType::kBool, {Do::kSelect}},
};

}  // namespace

BytecodeScalar ScalarFor(const Node& node) {
  for (const Row& row : kRows) {
    if (row.op != node.op().name || row.dtype != node.input(0).dtype())
      continue;
    if (row.out == DType::kInvalid || row.out == node.output_type(0).dtype) {
      return row.scalar;
    }
  }
  static constexpr Do kBlocks[] = {Do::kBlock1, Do::kBlock2, Do::kBlock3};
  return {kBlocks[node.num_inputs() - 1]};
}

bool HasInstruction(const Node& node) {
  return node.num_inputs() > 0 && node.num_inputs() <= kMaxBlockInputs &&
         ScalarFor(node).code > Do::kBlock3;
}

bool IsComparison(Do code) {
  return code >= Do::kLessI32 && code <= Do::kNotEqualF64;
}

Do JumpUnless(Do comparison) {
  return static_cast<Do>(static_cast<int>(Do::kUnlessLessI32) +
                         static_cast<int>(comparison) -
                         static_cast<int>(Do::kLessI32));
}

int CellsRead(Do code) {
  switch (code) {
    case Do::kBlock1:
    case Do::kNot:
    case Do::kMoveCell:
    case Do::kBox:
    case Do::kUnless:
    case Do::kWant:
    case Do::kChoose:
    case Do::kTag:
      return 1;
    case Do::kBlock2:
      return 2;
    case Do::kBlock3:
    case Do::kSelect:
      return 3;
    default:
      break;
  }
  if (code >= Do::kNegI32 && code <= Do::kBoolToF64) return 1;
  bool two = (code >= Do::kAddI32 && code < Do::kNegI32) ||
             (code >= Do::kUnlessLessI32 && code <= Do::kUnlessNotEqualF64);
  return two ? 2 : 0;
}

}  // namespace sluice
