// How a simulated device behaves: its size and speed, and the faults that tests
// inject. Plain values.
#pragma once

#include <cstdint>

#include "sluice/base/status.h"

namespace sluice {

// What a graph object costs beside the work of its nodes. The figures are those
// measured on an H200.
struct SimGraphCosts {
  double first_seconds = 1.7e-6;  // from the launch to the end of a tiny kernel
  double node_seconds = 1.0e-6;   // each further one that depends on it
  // A conditional node, beside its condition's kernel and its body.
  double skipped_seconds = 3.1e-6;
  double if_seconds = 5.4e-6;
  double switch_seconds = 6.0e-6;
  double while_seconds = 4.3e-6;  // for each iteration
};

struct SimOptions {
  int64_t memory_bytes = int64_t{4} << 30;  // the cap; addresses are not scarce
  double flops_per_second = 60e12;
  double bytes_per_second = 4.1e12;     // of the device's own memory
  double kernel_seconds = 2e-6;         // the least a kernel takes
  double launch_seconds = 4e-6;         // of the host, for each piece of work
  double link_bytes_per_second = 55e9;  // to the host and to other devices
  double link_latency_seconds = 10e-6;
  // Memory is filled with 0xFF before a new owner gets it: a value that is read
  // before it is written, or after its block was given away, is no number.
  bool poison = false;
  // Off: work takes its time and does nothing, so that what is too large for
  // the host to compute can be timed. Elements are then whatever they are.
  bool run_work = true;
  SimGraphCosts graph = {};

  // Error: a figure that cannot be, by its name.
  Status Check() const;
};

// Faults count from the moment they are set.
struct SimFaults {
  int64_t fail_allocation = 0;  // the n-th is refused, once; 0: none
  int64_t fail_copy = 0;        // the n-th moves nothing and is an error
  double copy_slowdown = 1;     // copies take so many times longer
  bool refuse_capture = false;  // graph objects cannot be made
};

}  // namespace sluice
