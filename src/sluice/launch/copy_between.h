// Copies arrays between devices, in stream order: a copy starts when the
// elements are ready and overlaps with computation on the devices.
//
// Between two CPU devices the elements are copied as well, so that each array
// is counted on the device it names. A step omits such a copy if only kernels
// read it (plan/plan_builder.cc).
//
// Plain functions; any thread.
#pragma once

#include "sluice/device/device.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct StartedCopy {
  // In the target memory; work on its device may be launched with it at once.
  Array value;
  // Not null: the host must not read the elements before the work already on
  // this stream is done.
  Stream* pending = nullptr;
};

// Returns the array itself if it is already there. For a list, copies all
// elements. Errors: ResourceExhausted; elements that only the host can hold.
Result<StartedCopy> StartCopy(const Array& from, Device& to);

// The same, but waits if the target is the host. A copy to a device does not
// see what the host later writes to `from`.
Result<Array> CopyTo(const Array& from, Device& to);

// The array with its elements in row-major order; copied on its own device if
// necessary.
Result<Array> ContiguousOn(const Array& array);

// Copies the elements of `from` to `to`, which has the same dtype and shape.
// Both may be on any device and strided. Waits only if `to` is on the host.
Status CopyElements(const Array& from, const Array& to);

}  // namespace sluice
