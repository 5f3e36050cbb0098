// How a loop with a budget, on a device with memory of its own, obtains what
// its gradient reads: all of it is kept on the device, or moves to the host's
// memory once the budget is used, or is computed again from checkpoints. The
// cheapest by the device's figures; where those or sizes are unknown, it is
// computed again, as on the host.
//
// The caller holds the graph's lock.
#pragma once

#include <cstdint>
#include <optional>

#include "sluice/autodiff/flow_back.h"

namespace sluice {

enum class HowToSave : uint8_t { kKeep, kSwap, kRecompute };

// Of one iteration, in seconds; `trips` where it is known.
struct SaveCosts {
  double forward = 0;  // computing it
  double copy = 0;     // what it keeps, one way
  double kept_bytes = 0;
  double budget = 0;
  std::optional<int64_t> trips;
};

// Swapping costs what copies take beyond the computing that hides them: on the
// way forward an iteration, on the way back about two. Computing again costs an
// iteration.
HowToSave CheapestSave(const SaveCosts& costs);

// For a loop with save = "budget", which is told by its attribute from then on:
// "device", "host", or "budget" as it was. Others are left alone.
Status ChooseSave(const RegionGradient& at);

}  // namespace sluice
