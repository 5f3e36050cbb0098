// Inputs whose elements the host reads before a kernel is launched: sizes that
// determine output shapes. They must be in host memory, whatever device the
// kernel runs on.
//
// Functions of records alone; any thread.
#pragma once

#include <cstdint>

#include "sluice/op/record.h"

namespace sluice {

// Whether the host reads input `i` of `count` for a kernel on such a device:
// the shape function asks for its value (determined with the record's samples),
// or the kernel declares it.
bool HostReads(const OpRecord& op, DeviceKind kind, size_t i, size_t count);
// The same before a device is chosen: sizes that determine shapes on any
// device.
bool HostReads(const OpRecord& op, size_t i, size_t count);

// Whether input `i` is the position in a random stream from which the op draws,
// as in recorded functions: it may also be in any memory.
bool TellsPlace(const OpRecord& op, size_t i);

// Whether the op makes a tensor of given sizes from scalars (a range, a scalar
// broadcast): the result is not a scalar.
bool MakesOfNumbers(const OpRecord& op, size_t count);

// Whether the op returns sizes (Shape, Size, Rank, a list's size). These belong
// on the host, wherever the measured value is.
bool GivesSizes(const OpRecord& op);

}  // namespace sluice
