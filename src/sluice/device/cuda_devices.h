// The GPUs of this machine. The driver is opened when one is asked for: a
// program that uses none does not pay for it.
//
// Thread safe.
#pragma once

#include <string>

#include "sluice/base/status.h"

namespace sluice {

// Makes sure that Devices has gpu:0, gpu:1 and so on, all that there are, and
// returns how many. Errors: this build has no CUDA part; no driver, one that is
// too old; no GPU.
Result<int> AddCudaDevices();

// What a kernel did wrong on the emulated GPU (device/cuda/emulated), which
// works again from then on. Empty: nothing, or the GPU is a real one. For
// tests.
std::string TakeEmulatedFailure();

}  // namespace sluice
