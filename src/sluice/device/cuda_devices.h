// The GPUs of this machine. The driver is opened on first use: a program
// without GPUs does not pay for it.
//
// GPUs live as long as the process. Thread safe.
#pragma once

#include <string>

#include "sluice/base/status.h"

namespace sluice {

// Makes sure that Devices has all GPUs as gpu:0, gpu:1 and so on, and returns
// their number. Errors: a build without CUDA; no driver, or one that is too
// old; no GPU.
Result<int> AddCudaDevices();

// Returns and clears the error of a kernel on the emulated GPU
// (device/cuda/emulated), which then works again. Empty: no error, or a real
// GPU. For tests.
std::string TakeEmulatedFailure();

}  // namespace sluice
