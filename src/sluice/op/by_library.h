// Which kernels of GPUs call a library, cuBLASLt or cuDNN, for floats. The
// kernel's file says, below its registration:
//
//   SL_BY_LIBRARY(MatMul);
//
// Made before main(), never changed afterwards; any thread.
#pragma once

#include <string_view>

namespace sluice {

bool IsByLibrary(std::string_view op);

namespace by_library_internal {
bool Add(std::string_view op);
}  // namespace by_library_internal

}  // namespace sluice

#define SL_BY_LIBRARY(Name)                                 \
  [[maybe_unused]] static const bool sl_by_library_##Name = \
      ::sluice::by_library_internal::Add(#Name)
