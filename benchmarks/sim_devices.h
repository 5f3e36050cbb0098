// Simulated devices of benchmarks, by number: the same ones whichever benchmark
// of a process comes first.
#pragma once

#include <string>

#include "sluice/device/sim/sim_device.h"

namespace sluice::bench {

// sim:0 to sim:7 are those of pipelines: slow at arithmetic, so that a kernel
// of a small matrix takes as long as one of a large matrix on a fast device.
inline constexpr int kPipelineDevices = 8;
// Then two that take their time and compute nothing: one with the figures of a
// K40, one with those of an H200.
inline constexpr int kOldDevice = 8, kNewDevice = 9;

void AddSimDevices();

// "/device:sim:3"
std::string SimName(int i);
SimDevice& Sim(int i);

}  // namespace sluice::bench
