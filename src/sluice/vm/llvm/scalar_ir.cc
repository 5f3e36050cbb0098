#include "sluice/vm/llvm/scalar_ir.h"

#include <cstring>

namespace sluice {

LLVMValueRef ScalarIr::Compared(int kind, LLVMValueRef a,
                                LLVMValueRef b) const {
  if (real()) {
    static constexpr LLVMRealPredicate kReal[] = {LLVMRealOLT, LLVMRealOLE,
                                                  LLVMRealOEQ, LLVMRealUNE};
    return LLVMBuildFCmp(build, kReal[kind], a, b, "");
  }
  static constexpr LLVMIntPredicate kInt[] = {LLVMIntSLT, LLVMIntSLE, LLVMIntEQ,
                                              LLVMIntNE};
  return LLVMBuildICmp(build, kInt[kind], a, b, "");
}

LLVMValueRef ScalarIr::Extreme(LLVMIntPredicate of_int,
                               LLVMRealPredicate of_real, LLVMValueRef a,
                               LLVMValueRef b) const {
  LLVMValueRef first;
  if (real()) {
    first = LLVMBuildOr(build, LLVMBuildFCmp(build, of_real, a, b, ""),
                        LLVMBuildFCmp(build, LLVMRealUNO, a, a, ""), "");
  } else {
    first = LLVMBuildICmp(build, of_int, a, b, "");
  }
  return LLVMBuildSelect(build, first, a, b, "");
}

LLVMValueRef ScalarIr::Binary(LLVMValueRef a, LLVMValueRef b) const {
  // Groups of four, one for each type.
  auto kind = [&](Do first) {
    return (static_cast<int>(code) - static_cast<int>(first)) / 4;
  };
  if (code >= Do::kUnlessLessI32 && code <= Do::kUnlessNotEqualF64) {
    return Compared(kind(Do::kUnlessLessI32), a, b);
  }
  if (code >= Do::kLessI32 && code <= Do::kNotEqualF64) {
    return Compared(kind(Do::kLessI32), a, b);
  }
  switch (code) {
    case Do::kAddI32:
    case Do::kAddI64:
      return LLVMBuildAdd(build, a, b, "");
    case Do::kAddF32:
    case Do::kAddF64:
      return LLVMBuildFAdd(build, a, b, "");
    case Do::kSubI32:
    case Do::kSubI64:
      return LLVMBuildSub(build, a, b, "");
    case Do::kSubF32:
    case Do::kSubF64:
      return LLVMBuildFSub(build, a, b, "");
    case Do::kMulI32:
    case Do::kMulI64:
      return LLVMBuildMul(build, a, b, "");
    case Do::kMulF32:
    case Do::kMulF64:
      return LLVMBuildFMul(build, a, b, "");
    case Do::kDivF32:
    case Do::kDivF64:
      return LLVMBuildFDiv(build, a, b, "");
    case Do::kMaximumI32:
    case Do::kMaximumI64:
    case Do::kMaximumF32:
    case Do::kMaximumF64:
      return Extreme(LLVMIntSGT, LLVMRealOGT, a, b);
    case Do::kMinimumI32:
    case Do::kMinimumI64:
    case Do::kMinimumF32:
    case Do::kMinimumF64:
      return Extreme(LLVMIntSLT, LLVMRealOLT, a, b);
    case Do::kAnd:
      return LLVMBuildAnd(build, a, b, "");
    default:
      return LLVMBuildOr(build, a, b, "");
  }
}

// LLVM leaves the smallest number divided by -1 undefined, so division by -1 is
// handled separately.
LLVMValueRef ScalarIr::Division(LLVMValueRef a, LLVMValueRef b) const {
  LLVMTypeRef t = LLVMTypeOf(a);
  LLVMValueRef zero = LLVMConstNull(t), one = LLVMConstInt(t, 1, false);
  LLVMValueRef minus =
      LLVMBuildICmp(build, LLVMIntEQ, b, LLVMConstAllOnes(t), "");
  LLVMValueRef by = LLVMBuildSelect(build, minus, one, b, "");
  LLVMValueRef quotient = LLVMBuildSDiv(build, a, by, "");
  LLVMValueRef rest =
      LLVMBuildSub(build, a, LLVMBuildMul(build, quotient, by, ""), "");
  // Not exact, and with different signs.
  LLVMValueRef below =
      LLVMBuildAnd(build, LLVMBuildICmp(build, LLVMIntNE, rest, zero, ""),
                   LLVMBuildICmp(build, LLVMIntSLT,
                                 LLVMBuildXor(build, a, by, ""), zero, ""),
                   "");
  LLVMValueRef value;
  switch (code) {
    case Do::kModI32:
    case Do::kModI64:
      value = LLVMBuildAdd(build, rest,
                           LLVMBuildSelect(build, below, by, zero, ""), "");
      return LLVMBuildSelect(build, minus, zero, value, "");
    case Do::kFloorDivI32:
    case Do::kFloorDivI64:
      value =
          LLVMBuildSub(build, quotient, LLVMBuildZExt(build, below, t, ""), "");
      break;
    default:
      value = quotient;
      break;
  }
  return LLVMBuildSelect(build, minus, LLVMBuildNeg(build, a, ""), value, "");
}

LLVMValueRef ScalarIr::Called(const char* intrinsic, LLVMValueRef a) const {
  LLVMModuleRef module =
      LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(build)));
  LLVMTypeRef t = LLVMTypeOf(a);
  unsigned id = LLVMLookupIntrinsicID(intrinsic, std::strlen(intrinsic));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, &t, 1);
  LLVMTypeRef signature =
      LLVMIntrinsicGetType(LLVMGetTypeContext(t), id, &t, 1);
  return LLVMBuildCall2(build, signature, function, &a, 1, "");
}

LLVMValueRef ScalarIr::Unary(LLVMValueRef a) const {
  LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a));
  switch (code) {
    case Do::kNegI32:
    case Do::kNegI64:
      return LLVMBuildNeg(build, a, "");
    case Do::kNegF32:
    case Do::kNegF64:
      return LLVMBuildFNeg(build, a, "");
    case Do::kAbsI32:
    case Do::kAbsI64:
      return LLVMBuildSelect(build,
                             LLVMBuildICmp(build, LLVMIntSLT, a, zero, ""),
                             LLVMBuildNeg(build, a, ""), a, "");
    case Do::kAbsF32:
    case Do::kAbsF64:
      return Called("llvm.fabs", a);
    case Do::kSquareI32:
    case Do::kSquareI64:
      return LLVMBuildMul(build, a, a, "");
    case Do::kSquareF32:
    case Do::kSquareF64:
      return LLVMBuildFMul(build, a, a, "");
    case Do::kSqrtF32:
    case Do::kSqrtF64:
      return Called("llvm.sqrt", a);
    case Do::kI32ToI64:
      return LLVMBuildSExt(build, a, result, "");
    case Do::kI64ToI32:
      return LLVMBuildTrunc(build, a, result, "");
    case Do::kI32ToF32:
    case Do::kI32ToF64:
    case Do::kI64ToF32:
    case Do::kI64ToF64:
      return LLVMBuildSIToFP(build, a, result, "");
    case Do::kF32ToF64:
      return LLVMBuildFPExt(build, a, result, "");
    case Do::kF64ToF32:
      return LLVMBuildFPTrunc(build, a, result, "");
    case Do::kBoolToI32:
    case Do::kBoolToI64:
      return LLVMBuildZExt(build, a, result, "");
    default:
      return LLVMBuildUIToFP(build, a, result, "");
  }
}

}  // namespace sluice
