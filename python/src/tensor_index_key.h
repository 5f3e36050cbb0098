// What stands between the brackets of t[...], read by numpy's rules.
//
// Numbers drop their axis, slices cut it, None adds one, `...` stands for the
// axes that are not named. Arrays of integers and masks are "advanced": they
// are broadcast together, and their axes take the place of those they index, or
// come first when something else stands between them.
//
// Under the GIL; lives for one call.
#pragma once

#include <vector>

#include "common.h"

namespace sluice::py {

// One axis of the tensor, or a new one.
struct KeyEntry {
  enum class Kind { kNumber, kSlice, kNewAxis, kPlace };
  Kind kind;
  // A slice, as Python reads it; of a number `begin`. Open ends are the largest
  // and smallest numbers.
  int64_t begin = 0, end = 0, step = 1;
  Tensor place{};  // of integers: picks along this axis
  // A slice whose bounds are sizes of a function being recorded: scalars of the
  // graph that take the place of `begin` and `end`.
  Tensor from{}, to{};
  bool fresh = false;  // the axis is a new one, of size 1
};

struct Key {
  std::vector<KeyEntry> entries;  // every axis of the tensor is in here
  bool basic = true;              // neither arrays nor masks
  // Result axes that stand before those the advanced entries make.
  int lead = 0;
};

// True when imperative calls run at once: no graph is being built.
bool RunsNow(const Tensor& tensor);

// Throws IndexError: too many indices, none of the kinds above, outside of its
// axis.
Key ReadKey(const Tensor& tensor, nb::handle key);

[[noreturn]] void ThrowIndexError(const std::string& message);

}  // namespace sluice::py
