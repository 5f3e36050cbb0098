// How a GPU obtains an op's result: listed by `sluice info --ops --device gpu`
// and explained in docs/gpu.md. Must agree with launches (launch/launch_on.cc)
// and placement (op/runs_on.h).
//
// Functions of records alone; any thread.
#pragma once

#include <string_view>

#include "sluice/op/record.h"

namespace sluice {

enum class WayOnGpu : uint8_t {
  kFormula,      // its formula, compiled for the GPU, fused with others
  kKernel,       // a kernel of its own
  kLibrary,      // cuBLASLt or cuDNN
  kView,         // a view of the same memory: nothing runs
  kHandsOn,      // passes elements on, or returns sizes: nothing runs there
  kStructure,    // part of a graph's structure: loops, branches, arguments
  kThroughHost,  // copied to the host, computed there, copied back
  kHostOnly,     // on strings, files, resources: stays on the host
};
inline constexpr int kNumWaysOnGpu = 8;

WayOnGpu WayOf(const OpRecord& op);
// "formula", "through the host".
std::string_view NameOf(WayOnGpu way);

}  // namespace sluice
