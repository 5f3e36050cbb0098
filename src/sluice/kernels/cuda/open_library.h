// Opens CUDA libraries at run time, from the system or from a Python package.
//
// Thread safe. Libraries are never closed.
#pragma once

#include <span>
#include <string_view>

#include "sluice/base/status.h"

namespace sluice {

// Opens the first of `names` ("libcublasLt.so.13") that is found: by the
// system, in the folder named by SLUICE_CUDA_LIBRARIES, or below CUDA_HOME and
// /usr/local/cuda. Error: none, with the paths tried.
Result<void*> OpenCudaLibrary(std::span<const char* const> names);

// A function of it. Error: there is none of that name.
Result<void*> CudaLibraryFunction(void* library, const char* name);

// Finds a function for a field of a function table.
template <class F>
Status LoadCudaFunction(void* library, const char* name, F* field) {
  SL_ASSIGN_OR_RETURN(void* at, CudaLibraryFunction(library, name));
  *field = reinterpret_cast<F>(at);
  return OkStatus();
}

}  // namespace sluice
