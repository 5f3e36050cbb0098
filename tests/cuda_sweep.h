// The sweep of GPU kernels: every op that has a kernel for GPUs, called with
// its own samples there and on the CPU, and the results compared. Bits for
// integers and for elementwise ops of f32, f16 and bf16; else within the bound
// the record states. Nothing here knows an op by name.
//
// Runs on the first GPU, emulated or not. Uses no test framework: a program for
// machines that have nothing else calls it, too.
#pragma once

#include <string>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

struct CudaSweepOptions {
  bool all_types = false;   // else one type for each sample: f32 if it can be
  std::string only;         // ops whose names contain it; empty: all
  int threads = 0;          // that compile and launch; 0: one for each core
  bool print_each = false;  // every op before it runs, for what crashes
};

struct CudaSweepReport {
  int ops = 0;       // with a kernel for GPUs
  int untried = 0;   // of these: they need state, or have no samples
  int calls = 0;     // that ran on the GPU
  int declined = 0;  // that the kernel left to the host
  int refused = 0;   // bad inputs that were refused with the CPU's message
  std::vector<std::string> failures;  // one for each op, the worst of its calls
  std::vector<std::string> declined_ops;  // "TopK (3 of 8)"

  // "212 ops, ...": one line.
  std::string Summary() const;
};

// Error: there is no GPU, or this build has no CUDA part; why.
Result<CudaSweepReport> SweepCudaKernels(const CudaSweepOptions& options);

}  // namespace sluice
