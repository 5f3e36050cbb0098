// Converts between cells and arrays of one element. Plain functions; the caller
// owns the data.
#pragma once

#include "sluice/vm/program.h"

namespace sluice {

// Puts the cell into an array of one element; reuses the memory of `into` if it
// is not shared.
Status BoxCell(const VmCell& cell, DType dtype, Array& into);

// Error: the array does not have its stated type.
Status UnboxCell(const Array& from, DType dtype, VmCell& cell);

// The same for a row.
Status BoxRow(const VmRow& row, const VmCell* cells, Array& into);
Status UnboxRow(const Array& from, const VmRow& row, VmCell* cells);

// The region of a branch that the number in the cell selects, as ChosenRegion.
Result<size_t> ChosenByCell(const Node& branch, const VmCell& cell);

}  // namespace sluice
