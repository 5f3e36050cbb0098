// Between cells and arrays of one element.
#pragma once

#include "sluice/vm/program.h"

namespace sluice {

// An array of one element for a cell; over the old one when nobody has it.
Status BoxCell(const VmCell& cell, DType dtype, Array& into);

// Error: the array is not what its type says.
Status UnboxCell(const Array& from, DType dtype, VmCell& cell);

// The same of a row.
Status BoxRow(const VmRow& row, const VmCell* cells, Array& into);
Status UnboxRow(const Array& from, const VmRow& row, VmCell* cells);

// The region of a branch that the number in a cell chooses, as ChosenRegion.
Result<size_t> ChosenByCell(const Node& branch, const VmCell& cell);

}  // namespace sluice
