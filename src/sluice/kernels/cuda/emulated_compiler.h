// Compiling kernels for the emulated GPU (device/cuda/emulated): with a C++
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

// `headers`: by the names that sources include them by (KernelHeaders).

// The source with the headers it includes put in place, each once, and what it
// says of dynamic shared memory in the words of the emulation. Headers that are
// not among these are left out.
std::string EmulatedSource(std::string_view source,
                           std::span<const EmbeddedText> headers);

// What cuModuleLoadData of the emulated driver takes. Errors: there is no
// compiler; what it says.
Result<std::string> CompileEmulated(std::string_view source,
                                    std::span<const EmbeddedText> headers);

// The compiler and its version, in the key of what is cached. Error: there is
// none, with what was looked for.
Result<std::string> EmulatedCompilerVersion();

}  // namespace sluice
