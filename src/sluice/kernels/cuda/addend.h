// Kernels that add a further operand to their result as they write it: a matrix
// of its shape, or one row for all of its rows. Such an operand comes behind
// the op's own. Said in the kernel's file:
//
//   SL_TAKES_ADDEND(MatMul);
//
// Said while the program starts; read by any thread afterwards.
#pragma once

namespace sluice {

struct OpRecord;

bool TakesAddend(const OpRecord& op);

struct SayTakesAddend {
  explicit SayTakesAddend(const char* op);
};
#define SL_TAKES_ADDEND(Op) \
  [[maybe_unused]] const SayTakesAddend kTakesAddend##Op(#Op)

}  // namespace sluice
