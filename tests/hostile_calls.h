// Calls an op must survive, made from its samples: every input and every
// attribute replaced by what a careless or malicious caller may give. The list
// is fixed by the record.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/sweep_cases.h"

namespace sluice {

struct HostileCall {
  std::string what;  // "sample 2, T = f32: axis = -1": for messages
  Attrs attrs;
  std::vector<Array> inputs;
};

// One way to spoil a call. Inputs are shared with other calls: to be replaced,
// never written to.
struct Attack {
  std::string what;
  std::function<void(HostileCall&)> apply;
};

// Attacks on the numbers, the shapes and types, and the attributes of a call.
std::vector<Attack> ValueAttacks(const std::vector<Array>& inputs);
std::vector<Attack> ShapeAttacks(const std::vector<Array>& inputs);
std::vector<Attack> AttrAttacks(const OpRecord& op, const Attrs& attrs);

// Makes and hands over all calls of an op, at most `limit` of them: single
// attacks on every sample, then combinations, drawn from a fixed seed.
void ForEachHostileCall(const OpRecord& op, size_t limit,
                        const std::function<void(const HostileCall&)>& visit);

// Arrays of more elements only look large: no memory holds them, and attacks
// leave them as they are.
inline constexpr int64_t kMostElements = 1 << 20;

// `array` with its elements replaced: floats and complex numbers by floats(i),
// others by ints(i), whose extremes mean those of the type; strings by its
// text.
Array Refill(const Array& array, const std::function<double(int64_t)>& floats,
             const std::function<int64_t(int64_t)>& ints);

}  // namespace sluice
