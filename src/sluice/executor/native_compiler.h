// The native compiler: from a conditional, a loop or a call, with everything
// inside, to a NativeProgram.
#pragma once

#include <memory>

#include "sluice/executor/native_program.h"
#include "sluice/executor/native_values.h"

namespace sluice {

// `fuse`: whether stretches of nodes of known shapes become tapes.
Result<std::unique_ptr<NativeProgram>> CompileNative(const Node& node,
                                                     const NativeValues& values,
                                                     bool fuse);

}  // namespace sluice
