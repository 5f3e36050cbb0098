// The few operations on elements that lists and state perform themselves, for
// elements the host cannot access: done by their device, in the order of its
// work. Arrays do not know devices: a higher layer sets the functions.
//
// Thread safe.
#pragma once

#include "sluice/tensor/array.h"

namespace sluice {

struct RemoteWork {
  // out = a + b, or a - b, elementwise; out may be a. Integers wrap. REQUIRES:
  // all of one numeric dtype, shape and memory, contiguous.
  using AddFn = Status (*)(const Array& a, const Array& b, bool subtract,
                           const Array& out);
  // Sets every element to 0. REQUIRES: contiguous, plain data.
  using ZeroFn = Status (*)(const Array& to);

  // Whether the host must leave work on it to a device.
  static bool Needed(const Array& array);
  // Error: the memory's device does not support this work.
  static Status Add(const Array& a, const Array& b, bool subtract,
                    const Array& out);
  static Status Zero(const Array& to);
  // For memories of one kind. Must be called before main().
  static bool Set(DeviceKind kind, AddFn add, ZeroFn zero);
};

}  // namespace sluice
