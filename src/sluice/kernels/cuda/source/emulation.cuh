// CUDA's language for a host compiler: the base of a kernel of the emulated GPU
// (kernels/cuda/emulated_compiler.h puts it before the kernel's source).
// Threads, barriers and warps are those of device/cuda/emulated; one thread
// runs at a time, so atomics are plain arithmetic.
#pragma once

#include "sluice/device/cuda/emulated/kernel_side.h"

// For code that needs a replacement here: PTX.
#define SL_EMULATED 1

#define SL_EXPORT extern "C" __attribute__((visibility("default"), used))

// Longer than the kernel's name, which may be that of a C library function.
#define SL_GLOBAL_OF(threads, name, Args, args) SL_GLOBAL(name, Args, args)
#define SL_GLOBAL_BESIDE(blocks, threads, name, Args, args) \
  SL_GLOBAL(name, Args, args)
#define SL_GLOBAL(name, Args, args)                                  \
  static void sl_body_##name(const Args& args);                      \
  SL_EXPORT const unsigned long sl_args_bytes_##name = sizeof(Args); \
  SL_EXPORT void sl_kernel_##name(const void* args_at) {             \
    sl_body_##name(*static_cast<const Args*>(args_at));              \
  }                                                                  \
  static void sl_body_##name(const Args& args)

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__
#define __managed__

// One block runs at a time: its shared memory is a variable. `extern
// __shared__` is rewritten to refer to sl_dynamic_shared.
#if defined(__clang__)
#define __shared__ static __attribute__((section("sl_shared")))
extern "C" __attribute__((
    weak, visibility("hidden"))) unsigned char __start_sl_shared[],
    __stop_sl_shared[];
SL_EXPORT unsigned char* const sl_static_shared[2] = {__start_sl_shared,
                                                      __stop_sl_shared};
#else
// This compiler puts no template variable into a section of that name.
#define __shared__ static
SL_EXPORT unsigned char* const sl_static_shared[2] = {nullptr, nullptr};
#endif
SL_EXPORT __attribute__((
    aligned(1024))) unsigned char sl_dynamic_shared[232448 + 1024] = {};
SL_EXPORT const unsigned long sl_dynamic_shared_bytes =
    sizeof sl_dynamic_shared;

SL_EXPORT const sluice::emulated::Host* sl_host = nullptr;
#define threadIdx (*sl_host->thread)
#define blockIdx (sl_host->block)
#define blockDim (sl_host->block_size)
#define gridDim (sl_host->grid_size)
#define warpSize 32
using dim3 = sluice::emulated::Dim3;

#include "sluice/cuda/emulated_math.cuh"
#include "sluice/cuda/emulated_warp.cuh"
