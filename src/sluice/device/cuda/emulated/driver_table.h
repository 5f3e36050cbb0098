// A CUDA driver for an emulated GPU: one device, computed by the host. For
// tests of all code above the driver, on machines without a GPU. Slow.
//
// Nothing here is ever freed. Thread safe.
#pragma once

#include <string>
#include <vector>

#include "sluice/device/cuda/driver.h"

namespace sluice::emulated {

// Whether SLUICE_CUDA_EMULATION is "1".
bool Wanted();

// Fills in every function; a function that is not emulated returns an error.
void FillDriver(CudaDriver& driver);

// A kernel that was looked up in a module, with the maximum number of threads
// per block over all launches, for which its registers must suffice.
struct KernelUse {
  std::string name;
  unsigned most_threads;
};
std::vector<KernelUse> KernelsOf(CUmodule module);

// Returns and clears the error of a kernel, or empty; then the GPU works again.
// A real GPU would stay failed; for tests of failing kernels.
std::string TakeFailure();

}  // namespace sluice::emulated
