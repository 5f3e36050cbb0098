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

// Whether input `i` is the place a random op is told to draw from, as those of
// a function that was recorded are: it goes anywhere, too.
bool TellsPlace(const OpRecord& op, size_t i);

// Whether what the op makes of numbers has the sizes it is told (a range, a
// number broadcast): a tensor that is made, and no number any more.
bool MakesOfNumbers(const OpRecord& op, size_t count);

// Whether the op tells sizes (Shape, Size, Rank, a list's size), which are for
// the host, whatever memory holds what they are the sizes of.
bool GivesSizes(const OpRecord& op);

}  // namespace sluice
