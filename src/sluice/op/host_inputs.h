// Inputs whose elements the host reads before a kernel is launched: sizes that
// output shapes follow from. They must be in host memory whatever device the
// kernel runs on.
//
// Functions of records alone; any thread.
#pragma once

#include <cstdint>

#include "sluice/op/record.h"

namespace sluice {

// Whether the host reads input `i` of `count` for a kernel on such a device:
// the shape function asks for its value (found out from the record's samples),
// or the kernel says so.
bool HostReads(const OpRecord& op, DeviceKind kind, size_t i, size_t count);
// The same before a device is chosen: sizes that shapes follow from anywhere.
bool HostReads(const OpRecord& op, size_t i, size_t count);

// Whether input `i` is the place in a random stream that the op draws from, as
// in recorded functions: it may lie in any memory, too.
bool TellsPlace(const OpRecord& op, size_t i);

// Whether the op makes a tensor of given sizes from numbers (a range, a number
// broadcast): the result is no longer a number.
bool MakesOfNumbers(const OpRecord& op, size_t count);

// Whether the op gives sizes (Shape, Size, Rank, a list's size). These belong
// on the host, in whatever memory the measured value lies.
bool GivesSizes(const OpRecord& op);

}  // namespace sluice
