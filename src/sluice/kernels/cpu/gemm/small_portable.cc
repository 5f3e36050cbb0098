// Machines without a kernel for small products.
#if !defined(__aarch64__) && !defined(__x86_64__)

#include "sluice/kernels/cpu/gemm/small.h"

namespace sluice {

bool IsSmallGemm(const GemmArgs&) { return false; }
void SmallGemm(const GemmArgs&, int64_t, int64_t) {}

}  // namespace sluice

#endif
