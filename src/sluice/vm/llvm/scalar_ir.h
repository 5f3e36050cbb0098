// One instruction of the machine on scalars as LLVM's: exactly what
// vm/scalar_codes.h says in C++, bits of numbers that are none included.
//
// Lives while an instruction is written; writes where the builder stands.
#pragma once

#include <llvm-c/Core.h>

#include "sluice/vm/native_source.h"

namespace sluice {

struct ScalarIr {
  LLVMBuilderRef build;
  Do code;
  CellType type;       // of the operands
  LLVMTypeRef result;  // of the result

  // Arithmetic and comparisons.
  LLVMValueRef Binary(LLVMValueRef a, LLVMValueRef b) const;
  // REQUIRES: b is not 0.
  LLVMValueRef Division(LLVMValueRef a, LLVMValueRef b) const;
  LLVMValueRef Unary(LLVMValueRef a) const;

 private:
  bool real() const { return type == CellType::kF32 || type == CellType::kF64; }
  LLVMValueRef Compared(int kind, LLVMValueRef a, LLVMValueRef b) const;
  // The larger or the smaller.
  LLVMValueRef Extreme(LLVMIntPredicate of_int, LLVMRealPredicate of_real,
                       LLVMValueRef a, LLVMValueRef b) const;
  LLVMValueRef Called(const char* intrinsic, LLVMValueRef a) const;
};

}  // namespace sluice
