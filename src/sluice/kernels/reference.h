// Helpers for the reference functions of op records: visit every index of a
// shape, read an element by index. Deliberately slow and simple; they share
// nothing with the kernels they verify. Plain functions.
#pragma once

#include <functional>
#include <vector>

#include "sluice/op/sample.h"

namespace sluice {

using Ints = std::vector<int64_t>;

namespace ref {

// REQUIRES: a valid shape.
Shape MakeShape(const Ints& dims);
Ints DimsOf(const Shape& shape);

int64_t Flat(const Shape& shape, const Ints& index);
double At(const RefArray& a, const Ints& index);
// The element of `a` at `index` of a larger shape after broadcasting.
double Broadcast(const RefArray& a, const Ints& index);

// An array of shape `shape` with element f(index).
RefArray Build(const Shape& shape, const std::function<double(const Ints&)>& f);

// Calls f(index) for every index in row-major order.
void ForEach(const Shape& shape, const std::function<void(const Ints&)>& f);

// Elementwise over broadcast inputs.
RefArray Map(const std::vector<RefArray>& in,
             const std::function<double(const std::vector<double>&)>& f);

// Groups the elements of `x` by attributes "axes" and "keep_dims" and reduces
// each group to one number.
RefArray Reduce(const RefArray& x, const Attrs& attrs,
                const std::function<double(const std::vector<double>&)>& fold);

// The axis; negative values count from the end.
int Axis(int64_t axis, int rank);

}  // namespace ref
}  // namespace sluice
