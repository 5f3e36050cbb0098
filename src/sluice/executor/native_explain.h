// A native program as text, one line per instruction: for `explain`.
#pragma once

#include <string>

#include "sluice/executor/native_program.h"

namespace sluice {

std::string ExplainNative(const NativeProgram& program);

}  // namespace sluice
