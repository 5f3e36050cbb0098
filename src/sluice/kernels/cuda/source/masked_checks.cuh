// Reports the errors of a launch if the launch was supposed to run
// (device/cuda/launch_scope.h).
#pragma once

#include "sluice/cuda/checks.cuh"
#include "sluice/cuda/elementwise.cuh"

namespace sluice {

constexpr int kMostMasked = 8;
struct MaskedArgs {
  const bool* live;
  Check* between;
  int64_t count;
  Check* slot[kMostMasked];
};

// Run by one thread.
SL_GLOBAL(tell_masked, MaskedArgs, a) {
  for (int k = 0; k < a.count; ++k) {
    if (!a.between[k].found) continue;
    if (*a.live) Report(a.slot[k], a.between[k].a, a.between[k].b);
    a.between[k].found = 0;
  }
}

}  // namespace sluice
