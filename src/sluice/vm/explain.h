// A program of the machine as text, one line per instruction: for `explain`.
#pragma once

#include <string>

#include "sluice/vm/program.h"

namespace sluice {

std::string ExplainBytecode(const VmProgram& program);

}  // namespace sluice
