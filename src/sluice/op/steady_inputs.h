// Inputs that say which memory a kernel touches: indices, sizes, splits, masks.
// A kernel checks them and then reads them again, so nobody may write them
// while it runs; but memory shared with numpy, or a tensor written in place by
// another thread, may change at any time. Code that launches a kernel on such
// memory first gives it copies of these inputs.
//
// Functions of records alone; any thread.
#pragma once

#include <span>

#include "sluice/op/record.h"

namespace sluice {

// Whether input `i` of `count` is declared as indices or a mask: of a type that
// holds nothing but indices or bools. Elementwise ops and those that read
// shapes alone have none.
bool ReadsAsPlaces(const OpRecord& op, size_t i, size_t count);

// Replaces such inputs by copies, except those that nobody else holds.
// Error: ResourceExhausted.
Status CopyPlaces(const OpRecord& op, std::span<Array> inputs,
                  WorkerPool* pool);

}  // namespace sluice
