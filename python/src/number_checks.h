// Python numbers computed by a graph have 64 bits and IEEE semantics. Where
// Python's numbers would exceed that, or raise, the step is made to fail: the
// code itself then runs, with Python's semantics.
//
// Plain functions; they add nodes to the graph being recorded.
#pragma once

#include <span>

#include "operand.h"

namespace sluice::py {

// Checks the two operands of an operator, both numbers; integers are i64,
// others f64.
using NumberCheck = void (*)(std::span<const Given, 2> sides);

void WantDivisor(std::span<const Given, 2> sides);  // floats by zero
void WantSum(std::span<const Given, 2> sides);
void WantDifference(std::span<const Given, 2> sides);
void WantProduct(std::span<const Given, 2> sides);
void WantPower(std::span<const Given, 2> sides);
void WantShifted(std::span<const Given, 2> sides);  // to the left

// Checks that a double holds the integer exactly: Python compares and divides
// integers exactly, whatever the other operand is.
void WantExact(const Given& side);

// Checks that an integer type can hold a number, an i64 computed by the graph.
void WantHeldBy(const Tensor& number, DType dtype);

}  // namespace sluice::py
