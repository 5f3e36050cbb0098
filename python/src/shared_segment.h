// Elements in memory that several processes see: POSIX shared memory, by name.
//
// Whoever puts elements into a segment leaves it there for one receiver, who
// takes its name away when it maps it; or keeps it, and takes the name away
// when it lets go of the elements. Other processes only look.
#pragma once

#include "common.h"
#include "outside_memory.h"

namespace sluice::py {

// Elements copied to a new segment of that name ("/sluice-..."), row-major.
// False when there is no room or no shared memory; throws for other reasons.
bool PutInSegment(const std::string& name, const Array& array);

enum class SegmentUse {
  kTake,  // the name goes away: nobody else maps it
  kOwn,   // the name goes away with the elements
  kLook,
};
// The elements there, `offset` bytes from the start. Throws FileNotFoundError
// when there is no such segment (any more), ValueError when it is too small.
OutsideArray MapSegment(const std::string& name, DType dtype,
                        const Shape& shape, int64_t offset, SegmentUse use);

void BindSharedSegment(nb::module_& m);

}  // namespace sluice::py
