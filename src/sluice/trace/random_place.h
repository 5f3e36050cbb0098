// Where in the process's stream of random numbers a function being recorded
// draws. The generator is to it a tensor of the program around it, i64[2]: the
// seed, and how many calls have drawn since it was set. Every random op takes
// the place it draws from as its last input and moves the tensor on, in
// branches and loops too, so that a captured function draws what its code draws
// when it runs at once, and leaves the generator where that would.
//
// Code for lanes and for recursive functions draws apart, from numbers told by
// the call and the op's place in the graph.
#pragma once

#include "sluice/eager/eager_value.h"
#include "sluice/graph/node.h"
#include "sluice/op/record.h"
#include "sluice/session/random_state.h"

namespace sluice {

// Stands for the generator among the tensors around a function. Its elements
// mean nothing: calls are fed PlaceArray of what it is.
const EagerRef& RandomPlace();
Array PlaceArray(const RandomState& state);
RandomState StateOf(const Array& place);

// Whether the node draws from a place it is told.
bool DrawsAtPlace(const Node& node);

// `place` as a place that is known, some draws before.
struct PlaceAhead {
  Value from;
  int64_t draws = 0;
};
PlaceAhead AheadOf(const Value& place);

}  // namespace sluice
