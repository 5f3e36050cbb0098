// Numbers of Python's that a graph computes have 64 bits and IEEE's rules.
// Where Python's go on beyond that, or raise, the step is made to fail: the
// code itself runs then, and has what Python has.
//
// Plain functions; they add nodes to the graph being recorded.
#pragma once

#include <span>

#include "operand.h"

namespace sluice::py {

// Of the two sides of an operator, numbers both; whole ones are integers, all
// others f64.
using NumberCheck = void (*)(std::span<const Given, 2> sides);

void WantDivisor(std::span<const Given, 2> sides);  // floats by zero
void WantSum(std::span<const Given, 2> sides);
void WantDifference(std::span<const Given, 2> sides);
void WantProduct(std::span<const Given, 2> sides);
void WantPower(std::span<const Given, 2> sides);
void WantShifted(std::span<const Given, 2> sides);  // to the left

// That doubles hold a whole number: Python compares and divides those as they
// are, whatever stands on the other side.
void WantExact(const Given& side);

// That an integer type holds a number, an i64 that the graph computes.
void WantHeldBy(const Tensor& number, DType dtype);

}  // namespace sluice::py
