// How a loop with a budget, on a device with its own memory, provides the
// residuals of its gradient: all are kept on the device, or move to host memory
// once the budget is used, or are recomputed from checkpoints. The cheapest
// according to the device's performance figures is chosen; if those or sizes
// are unknown, the residuals are recomputed, as on the host.
//
// The caller holds the graph's lock.
#pragma once

#include <cstdint>
#include <optional>

#include "sluice/autodiff/flow_back.h"

namespace sluice {

enum class HowToSave : uint8_t { kKeep, kSwap, kRecompute };

// Per iteration, in seconds; `trips` if known.
struct SaveCosts {
  double forward = 0;  // of an iteration
  double copy = 0;     // of its residuals, one way
  double kept_bytes = 0;
  double budget = 0;
  std::optional<int64_t> trips;
};

// Swapping costs the copy time that computation does not hide: one iteration
// hides it forwards, about two backwards. Recomputing costs one iteration.
HowToSave CheapestSave(const SaveCosts& costs);

// For a loop with save = "budget": sets its attribute to "device" or "host", or
// leaves "budget". Other loops are unchanged.
Status ChooseSave(const RegionGradient& at);

}  // namespace sluice
