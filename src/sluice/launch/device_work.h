// DeviceWork: something for the compute stream of a device to do that the host
// stands in for: a kernel of a simulated device is code of the host. Arrays it
// reads and writes are put in order with the device's other streams.
//
// Given away when it is issued; `run` is called once, later, from whichever
// thread does the device's work, with the device's memory open.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/device/device.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct DeviceWork {
  std::string label;  // for timelines and reports of races
  double flops = 0;
  std::function<void()> run;
  std::vector<Array> reads, writes;

  void Reads(const Array& array) { reads.push_back(array); }
  void Writes(const Array& array) { writes.push_back(array); }
};

// REQUIRES: a simulated device.
Status RunOnDevice(Device& device, DeviceWork work);

}  // namespace sluice
