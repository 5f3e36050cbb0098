// Inputs that determine which memory a kernel accesses: indices, sizes, splits,
// masks. A kernel checks them and then reads them again, so nobody may write
// them while it runs; but memory shared with numpy, or a tensor written in
// place by another thread, may change at any time. Code that launches a kernel
// on such memory first replaces these inputs by copies.
//
// Functions of records alone; any thread.
#pragma once

#include <span>

#include "sluice/op/record.h"

namespace sluice {

// Whether input `i` of `count` is declared as indices or a mask: its type
// allows only indices or only bools. False for elementwise ops and ops that
// only read shapes.
bool ReadsAsPlaces(const OpRecord& op, size_t i, size_t count);

// Replaces such inputs by copies, unless nobody else holds them. Error:
// ResourceExhausted.
Status CopyPlaces(const OpRecord& op, std::span<Array> inputs,
                  WorkerPool* pool);

}  // namespace sluice
