// Declares kernels that add a further operand to their result as they write it:
// a matrix of its shape, or one row for all of its rows. This operand follows
// the op's own operands. The kernel's file says, at namespace scope:
//
//   SL_TAKES_ADDEND(MatMul);
#pragma once

#include "sluice/kernels/cuda/said_of_ops.h"

namespace sluice {

struct TakesAddend {};

#define SL_TAKES_ADDEND(Op)                                       \
  [[maybe_unused]] const SaidOfOps<TakesAddend> kTakesAddend##Op( \
      #Op, TakesAddend{})

}  // namespace sluice
