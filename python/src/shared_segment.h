// Elements in memory shared between processes: POSIX shared memory, by name.
//
// A segment is either made for one receiver, which removes its name when it
// maps it, or owned by its maker, which removes the name when the elements are
// released. Other processes only map it.
#pragma once

#include "common.h"
#include "outside_memory.h"

namespace sluice::py {

// Copies elements to a new segment of that name ("/sluice-..."), row-major.
// Returns false if there is no space or no shared memory; throws for other
// reasons.
bool PutInSegment(const std::string& name, const Array& array);

enum class SegmentUse {
  kTake,  // removes the name: nobody else maps it
  kOwn,   // the name is removed with the elements
  kLook,
};
// Maps the elements `offset` bytes from the start. Throws FileNotFoundError if
// there is no such segment (any more), ValueError if it is too small.
OutsideArray MapSegment(const std::string& name, DType dtype,
                        const Shape& shape, int64_t offset, SegmentUse use);

void BindSharedSegment(nb::module_& m);

}  // namespace sluice::py
