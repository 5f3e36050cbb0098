// Libraries of CUDA, opened at run time, where the system or a Python package
// put them.
//
// Thread safe. Opened for good.
#pragma once

#include <span>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice {

// The first of `names` ("libcublasLt.so.13") that opens: as the system finds
// it, in the folder SLUICE_CUDA_LIBRARIES names, or below CUDA_HOME and
// /usr/local/cuda. Error: none, with what was tried.
Result<void*> OpenCudaLibrary(std::span<const char* const> names);

// A function of it. Error: it has none of that name.
Result<void*> CudaLibraryFunction(void* library, const char* name);

// Finds it for a field of a table of functions.
template <class F>
Status LoadCudaFunction(void* library, const char* name, F* field) {
  SL_ASSIGN_OR_RETURN(void* at, CudaLibraryFunction(library, name));
  *field = reinterpret_cast<F>(at);
  return OkStatus();
}

}  // namespace sluice
