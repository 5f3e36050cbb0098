// Copies of arrays from one device's memory to another's, in the order of the
// devices' streams: the copy starts when the elements are there and hides
// behind what the devices compute meanwhile.
//
// Between two CPU devices the elements are copied as well, so that each array
// is in the books of the device it says it is on. A step leaves such a copy out
// where kernels alone read it (plan/plan_builder.cc).
//
// Plain functions; any thread.
#pragma once

#include "sluice/device/device.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct StartedCopy {
  // In the other memory; work on its device may be issued with it at once.
  Array value;
  // Not null: the host may not look at the elements before the work issued on
  // this stream is done.
  Stream* pending = nullptr;
};

// The array itself when it is there already. Of a list, all elements.
// Errors: ResourceExhausted; elements that only the host can hold.
Result<StartedCopy> StartCopy(const Array& from, Device& to);

// The same, and waits for it where it goes to the host. What the host writes to
// `from` afterwards is not seen by a copy that goes to a device.
Result<Array> CopyTo(const Array& from, Device& to);

// The array with its elements in row-major order, copied on its own device when
// they are not.
Result<Array> ContiguousOn(const Array& array);

// The elements of `from` become those of `to`, which has its dtype and shape,
// wherever they lie, strided or not. Waits only when `to` is the host's.
Status CopyElements(const Array& from, const Array& to);

}  // namespace sluice
