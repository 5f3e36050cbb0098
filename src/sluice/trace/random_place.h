// The position in the process's stream of random numbers at which a function
// being recorded draws. The recording treats the generator as a tensor outside
// the function, i64[2]: the seed, and how many calls have drawn since it was
// set. Every random op takes its position as its last input and advances the
// tensor, also in branches and loops. A captured function therefore draws the
// same numbers as its code run eagerly, and leaves the generator at the same
// position.
//
// Code of lanes (vmap) and of recursive functions draws separately, from
// numbers derived from the call and the op's position in the graph.
#pragma once

#include "sluice/eager/eager_value.h"
#include "sluice/graph/node.h"
#include "sluice/op/record.h"
#include "sluice/session/random_state.h"

namespace sluice {

// Represents the generator among the tensors outside a function. Its elements
// are unused: calls are fed the PlaceArray of the generator's state.
const EagerRef& RandomPlace();
Array PlaceArray(const RandomState& state);
RandomState StateOf(const Array& place);

// Whether the node draws at a position given as an input.
bool DrawsAtPlace(const Node& node);

// `place` as a known earlier position and the number of draws since.
struct PlaceAhead {
  Value from;
  int64_t draws = 0;
};
PlaceAhead AheadOf(const Value& place);

}  // namespace sluice
