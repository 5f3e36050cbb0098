// Runs a random program as a user's code: the same calls, whatever the tensors
// stand for.
#pragma once

#include <vector>

#include "sluice/sluice.h"
#include "tests/random_programs/program.h"

namespace sluice {

// The tensors around the code.
struct ProgramState {
  std::vector<Tensor> tensors;
};

// The local made last. Throws what the calls throw.
Tensor Interpret(const RandomProgram& program, const Tensor& argument,
                 const ProgramState& state);

}  // namespace sluice
