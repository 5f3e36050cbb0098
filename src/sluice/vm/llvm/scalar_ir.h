// Translates one scalar instruction of the machine to LLVM, exactly as
// vm/scalar_codes.h defines it in C++, including the bits of NaNs.
//
// Lives while one instruction is written, at the builder's position; used by
// one thread.
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
  // The maximum or the minimum.
  LLVMValueRef Extreme(LLVMIntPredicate of_int, LLVMRealPredicate of_real,
                       LLVMValueRef a, LLVMValueRef b) const;
  LLVMValueRef Called(const char* intrinsic, LLVMValueRef a) const;
};

}  // namespace sluice
