// The few operations on elements that lists and state do themselves, for
// elements the host cannot touch: done by their device, in the order of its
// work. Arrays know no devices: a higher layer sets the functions.
//
// Thread safe.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

struct RemoteWork {
  // out = a + b, or a - b, elementwise; out may be a. Integers wrap.
  // REQUIRES: all of one number dtype, one shape and one memory, contiguous.
  using AddFn = Status (*)(const Array& a, const Array& b, bool subtract,
                           const Array& out);
  // Every element becomes 0. REQUIRES: contiguous, plain data.
  using ZeroFn = Status (*)(const Array& to);

  // Whether the host has to leave work on it to a device.
  static bool Needed(const Array& array);
  // Error: the memory's devices do no such work.
  static Status Add(const Array& a, const Array& b, bool subtract,
                    const Array& out);
  static Status Zero(const Array& to);
  // For memories of one kind. Before main().
  static bool Set(DeviceKind kind, AddFn add, ZeroFn zero);
};

}  // namespace sluice
