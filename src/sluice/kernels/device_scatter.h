// Rows of an array in a device's memory changed by index, for kernels of state
// that are the host's on every device (ops/state/scatter_rows.h). Who has such
// a device gives the function.
//
// Thread safe.
#pragma once

#include "sluice/kernels/cpu/scatter.h"
#include "sluice/op/kernel_context.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct DeviceScatter {
  // Inputs 1 and 2 of the launch are the indices and the updates, on the device
  // as `target` is. Wrong indices are left out, and told later.
  using Fn = Status (*)(const KernelContext& ctx, const RowScatter& scatter,
                        const Array& target);

  // Error: the memory's devices do no such work.
  static Status Run(const KernelContext& ctx, const RowScatter& scatter,
                    const Array& target);
  // For memories of one kind. Before main().
  static bool Set(DeviceKind kind, Fn fn);
};

}  // namespace sluice
