// Updates rows of an array in device memory by index, for kernels of state ops
// that run on the host for every device (ops/state/scatter_rows.h). The code
// for each kind of device registers the function.
//
// Thread safe.
#pragma once

#include "sluice/kernels/cpu/scatter.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct DeviceScatter {
  // Inputs 1 and 2 of the launch are the indices and the updates, on the device
  // like `target`. Wrong indices are skipped and reported later.
  using Fn = Status (*)(const KernelContext& ctx, const RowScatter& scatter,
                        const Array& target);

  // Error: no function is registered for this kind of memory.
  static Status Run(const KernelContext& ctx, const RowScatter& scatter,
                    const Array& target);
  // Registers `fn` for memories of one kind. Call before main().
  static bool Set(DeviceKind kind, Fn fn);
};

}  // namespace sluice
