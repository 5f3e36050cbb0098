// Compiles kernels for the emulated GPU (device/cuda/emulated) with a C++
// compiler of the host, to a shared object.
//
// Plain functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sluice/base/status.h"
#include "sluice/kernels/cuda/embedded_text.h"

namespace sluice {

// `headers`: keyed by the names in include directives (KernelHeaders).

// The source with its headers inlined, each once, and declarations of dynamic
// shared memory rewritten for the emulation. Headers that are not in `headers`
// are omitted.
std::string EmulatedSource(std::string_view source,
                           std::span<const EmbeddedText> headers);

// The image for cuModuleLoadData of the emulated driver. Errors: no compiler;
// compile errors.
Result<std::string> CompileEmulated(std::string_view source,
                                    std::span<const EmbeddedText> headers);

// The compiler and its version, for the cache key. Error: no compiler, with the
// names tried.
Result<std::string> EmulatedCompilerVersion();

}  // namespace sluice
