// Calls of an op with inputs and attributes drawn at random, a few of them
// legal. The sequence is fixed by the seed.
#pragma once

#include "sluice/base/random.h"
#include "tests/sweep_cases.h"

namespace sluice {

class RandomCalls {
 public:
  RandomCalls(const OpRecord& op, uint64_t seed)
      : op_(op), samples_(CasesOf(op)), key_(RandomKey::Of(seed, 0, 0, 0)) {}

  SweepCase Next();

 private:
  uint32_t Draw(uint32_t below);
  bool OneIn(uint32_t n) { return Draw(n) == 0; }
  int64_t Number();
  DType AnyType();
  Array AnyArray(DType dtype);
  AttrValue AnyAttr(AttrKind kind);
  // Inputs that fit the declared types.
  void FittingInputs(SweepCase& c);

  const OpRecord& op_;
  std::vector<SweepCase> samples_;
  RandomKey key_;
  uint64_t count_ = 0;
};

}  // namespace sluice
