// Where lanes are in what a vmap is given and where they go in what it gives:
// the axes of VmapOptions, checked, and arguments and results turned so that
// batching finds lanes along axis 0.
//
// Functions throw sluice::Error with the line of the call. Those with an
// Emitter want the graph's lock held.
#pragma once

#include <source_location>
#include <vector>

#include "sluice/batching/batch_scope.h"
#include "sluice/front/vmap.h"

namespace sluice::front_internal {

// For each argument its axis of lanes, from 0, or `unbatched`. Refused: an axis
// that is not there, no lanes at all, numbers of lanes that are known to
// differ.
std::vector<int> LaneAxes(const std::vector<Tensor>& args,
                          const VmapOptions& options,
                          std::source_location where);

// As the user gave it for result i of `count`.
int OutAxis(size_t i, size_t count, const VmapOptions& options,
            std::source_location where);

// The arguments, which belong to the emitter's graph, with lanes in front.
// Numbers of lanes that are not known are compared when the graph runs.
std::vector<Lanes> LanesFirst(Emitter& emit, const std::vector<Value>& args,
                              const std::vector<int>& axes);

// The results with lanes where they are asked for; `args` are the arguments,
// which say how many there are.
std::vector<Value> PlaceLanes(Emitter& emit, const std::vector<Lanes>& results,
                              const std::vector<Lanes>& args,
                              const VmapOptions& options,
                              std::source_location where);

}  // namespace sluice::front_internal
