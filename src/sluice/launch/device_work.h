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
  // Of each array it reads at most so many bytes, where it picks some.
  int64_t most_read = INT64_MAX;

  void Reads(const Array& array) { reads.push_back(array); }
  void Writes(const Array& array) { writes.push_back(array); }
};

// REQUIRES: a simulated device.
Status RunOnDevice(Device& device, DeviceWork work);

// Why the elements of an array are not there although its device is done with
// all work: a copy failed. Ok for arrays of the host.
Status FailureOf(const Array& array);

}  // namespace sluice
