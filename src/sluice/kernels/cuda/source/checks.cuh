// What a kernel finds wrong in its inputs, told to the host later
// (device/cuda/late_checks.h). Of all places where something is wrong the first
// in the array is told, as on the CPU.
#pragma once

#include "sluice/cuda/formula.cuh"

namespace sluice {

// As LateChecks::Slot. found: 0 nothing yet, 1 something, 2 being written.
struct Check {
  uint32_t found;
  uint32_t unused;
  int64_t a, b;
};

// Begins a report about `place`; false when an earlier one is told already.
// Whoever got true writes what it found and calls EndReport.
inline bool BeginReport(Check* check, int64_t place) {
  volatile Check* seen = check;
  for (;;) {
    uint32_t found = seen->found;
    if (found == 2) continue;
    if (found == 1 && seen->a <= place) return false;
    if (atomicCAS(&check->found, found, 2u) != found) continue;
    __threadfence_system();
    if (found == 0 || place < seen->a) {
      seen->a = place;
      return true;
    }
    atomicExch(&check->found, 1u);
    return false;
  }
}
inline void EndReport(Check* check) {
  __threadfence_system();
  atomicExch(&check->found, 1u);
}

inline void Report(Check* check, int64_t place, int64_t value) {
  if (!BeginReport(check, place)) return;
  static_cast<volatile Check*>(check)->b = value;
  EndReport(check);
}

}  // namespace sluice
