// The CUDA driver of a GPU that is not there: one device, computed by the host.
// For tests of everything above the driver, on machines without a GPU. Slow.
//
// Nothing here is freed. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "sluice/device/cuda/driver.h"

namespace sluice::emulated {

// Whether SLUICE_CUDA_EMULATION asks for it: "1".
bool Wanted();

// Fills in every function; those that are not emulated say so when called.
void FillDriver(CudaDriver& driver);

// The kernels of a module that have been looked for, and the most threads a
// block of each was launched with: what its registers must suffice for.
struct KernelUse {
  std::string name;
  unsigned most_threads;
};
std::vector<KernelUse> KernelsOf(CUmodule module);

// What a kernel did wrong, or empty, and the GPU works again. A GPU that is
// there stays broken; for tests of kernels that fail.
std::string TakeFailure();

}  // namespace sluice::emulated
