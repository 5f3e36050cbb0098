// Prints a program of the machine, one line per instruction, for `explain`. A
// plain function.
#pragma once

#include <string>

#include "sluice/vm/program.h"

namespace sluice {

std::string ExplainBytecode(const VmProgram& program);

}  // namespace sluice
