// The key of t[...], interpreted by numpy's rules.
//
// Integers drop their axis, slices cut it, None adds one, `...` represents the
// axes that are not named. Integer arrays and masks are "advanced": they are
// broadcast together, and their axes replace those they index, or come first if
// another entry separates them.
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
  // A slice as Python evaluates it; for an integer, `begin`. Open ends are the
  // largest and smallest numbers.
  int64_t begin = 0, end = 0, step = 1;
  Tensor place{};  // integers: selects along this axis
  // For a slice whose bounds are sizes of a function being recorded: scalars of
  // the graph that replace `begin` and `end`.
  Tensor from{}, to{};
  bool fresh = false;  // a new axis of size 1
};

struct Key {
  std::vector<KeyEntry> entries;  // covers every axis of the tensor
  bool basic = true;              // neither arrays nor masks
  // The number of result axes before those of the advanced entries.
  int lead = 0;
};

// True if calls run eagerly: no graph is being built.
bool RunsNow(const Tensor& tensor);

// Throws IndexError: too many indices, an unsupported kind, or an index out of
// range.
Key ReadKey(const Tensor& tensor, nb::handle key);

[[noreturn]] void ThrowIndexError(const std::string& message);

}  // namespace sluice::py
