// Inputs that say which memory a kernel touches: indices, sizes, splits, masks.
// A kernel checks them and then reads them again, so nobody may write them
// while it runs; but memory shared with numpy, or a tensor written in place by
// another thread, may change at any time. Who launches a kernel on such memory
// gives it a copy of these inputs first.
//
// Functions of records alone; any thread.
#pragma once

#include <span>

#include "sluice/op/record.h"

namespace sluice {

// Whether input `i` of `count` is declared as numbers to find places by: of a
// type that holds nothing but indices or bools. Elementwise ops and those that
// read shapes alone have none.
bool ReadsAsPlaces(const OpRecord& op, size_t i, size_t count);

// Replaces those of `inputs` by copies, but for what nobody else holds.
// Error: ResourceExhausted.
Status CopyPlaces(const OpRecord& op, std::span<Array> inputs,
                  WorkerPool* pool);

}  // namespace sluice
