// Fills memory with random numbers of a keyed stream (base/random.h). Element i
// depends only on key and i, and is the same on every machine: arithmetic is
// strict, with own implementations of log, sine and cosine. Plain functions;
// any thread.
#pragma once

#include "sluice/base/random.h"
#include "sluice/base/worker_pool.h"
#include "sluice/kernels/cpu/normal_pair.h"
#include "sluice/tensor/dtype.h"

namespace sluice {

// Uniform in [0, 1). The type must be f32, f64, f16 or bf16; others return
// false.
bool FillUniform(const RandomKey& key, DType dtype, int64_t n, void* to,
                 WorkerPool* pool);
// Normal with mean 0 and deviation 1.
bool FillNormal(const RandomKey& key, DType dtype, int64_t n, void* to,
                WorkerPool* pool);
// Exponential with mean 1.
bool FillExponential(const RandomKey& key, DType dtype, int64_t n, void* to,
                     WorkerPool* pool);
// Words [begin, end) of the raw stream. REQUIRES: begin is a multiple of 64.
void FillWords(const RandomKey& key, int64_t begin, int64_t end, uint32_t* to);

// A pair of normal numbers from two words of random bits each.
NormalPair NormalFromBits(const RandomBlock& bits);

}  // namespace sluice
