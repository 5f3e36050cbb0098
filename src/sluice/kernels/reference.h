// Small helpers for the reference functions of op records: visit every index of
// a shape, read an element by index. Slow and obvious on purpose; they share
// nothing with the kernels they are there to check.
#pragma once

#include <functional>
#include <vector>

#include "sluice/op/sample.h"

namespace sluice {

using Ints = std::vector<int64_t>;

namespace ref {

// REQUIRES: a legal shape.
Shape MakeShape(const Ints& dims);
Ints DimsOf(const Shape& shape);

int64_t Flat(const Shape& shape, const Ints& index);
double At(const RefArray& a, const Ints& index);
// The element of `a` that broadcasting puts at `index` of a larger shape.
double Broadcast(const RefArray& a, const Ints& index);

// An array of shape `shape` with element f(index).
RefArray Build(const Shape& shape, const std::function<double(const Ints&)>& f);

// Calls f(index) for every index in row-major order.
void ForEach(const Shape& shape, const std::function<void(const Ints&)>& f);

// Elementwise over broadcast inputs.
RefArray Map(const std::vector<RefArray>& in,
             const std::function<double(const std::vector<double>&)>& f);

// Groups the elements of `x` by attributes "axes" and "keep_dims" and folds
// each group to one number.
RefArray Reduce(const RefArray& x, const Attrs& attrs,
                const std::function<double(const std::vector<double>&)>& fold);

// Axis counted from the end when negative.
int Axis(int64_t axis, int rank);

}  // namespace ref
}  // namespace sluice
