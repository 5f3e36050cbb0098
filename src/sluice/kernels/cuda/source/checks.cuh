// Errors that a kernel finds in its inputs, reported to the host later
// (device/cuda/late_checks.h). Of all errors the first in array order is
// reported, as on the CPU.
#pragma once

#include "sluice/cuda/formula.cuh"

namespace sluice {

// As LateChecks::Slot. found: 0 nothing yet, 1 something, 2 being written.
struct Check {
  uint32_t found;
  uint32_t unused;
  int64_t a, b;
};

// Begins a report about `place`; false if an earlier place has already been
// reported. After true, the caller writes the error and calls EndReport.
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
