// Sizes of tensors in a function being recorded, as Python sees them: numbers
// of the package's own kind (sluice/_size.py) that stand for a scalar of the
// graph and know what it is in the call that is recorded.
//
// Under the GIL.
#pragma once

#include <optional>

#include "common.h"
#include "operand.h"

namespace sluice::py {

// Whether it is such a number: a SymInt, SymFloat or SymBool.
bool IsSymbol(nb::handle object);

// The scalar of the graph behind one. REQUIRES: IsSymbol.
Tensor SymbolTensor(nb::handle object);

// The size of an axis: an int if known; in a function being recorded, its
// symbol; otherwise None.
nb::object SizeOfAxis(const Tensor& tensor, int axis);
// The same of all elements.
nb::object CountOf(const Tensor& tensor);

// Sizes one after the other, of which some are symbols: a vector of i64.
// REQUIRES: IsSizes.
Tensor SizesVector(nb::handle sequence);
// Whether it is a list or tuple of ints and SymInts, one SymInt at least.
bool IsSizes(nb::handle sequence);

void BindSizes(nb::module_& m);

}  // namespace sluice::py
