// The properties of a simulated device: its size and speed, and the faults that
// tests inject. Plain values.
#pragma once

#include <cstdint>

#include "sluice/base/status.h"

namespace sluice {

// The costs of a graph object in addition to the work of its nodes. The figures
// were measured on an H200.
struct SimGraphCosts {
  double first_seconds = 1.7e-6;  // from the launch to the end of a tiny kernel
  double node_seconds = 1.0e-6;   // each further dependent kernel
  // A conditional node, in addition to its condition's kernel and its body.
  double skipped_seconds = 3.1e-6;
  double if_seconds = 5.4e-6;
  double switch_seconds = 6.0e-6;
  double while_seconds = 4.3e-6;  // for each iteration
};

struct SimOptions {
  // The limit; addresses are plentiful.
  int64_t memory_bytes = int64_t{4} << 30;
  double flops_per_second = 60e12;
  double bytes_per_second = 4.1e12;     // of the device's own memory
  double kernel_seconds = 2e-6;         // the minimum time of a kernel
  double launch_seconds = 4e-6;         // host time per piece of work
  double link_bytes_per_second = 55e9;  // to the host and to other devices
  double link_latency_seconds = 10e-6;
  // Fills memory with 0xFF before it gets a new owner: a value that is read
  // before it is written, or after its block was freed, is a NaN.
  bool poison = false;
  // Off: work takes its time but computes nothing, so that programs too large
  // for the host can be timed. Elements are then arbitrary.
  bool run_work = true;
  SimGraphCosts graph = {};

  // Error: an impossible figure, by its name.
  Status Check() const;
};

// Counting starts when the faults are set.
struct SimFaults {
  int64_t fail_allocation = 0;  // the n-th is refused, once; 0: none
  int64_t fail_copy = 0;        // the n-th copies nothing and is an error
  double copy_slowdown = 1;     // the factor by which copies are slower
  bool refuse_capture = false;  // graph objects cannot be created
};

}  // namespace sluice
