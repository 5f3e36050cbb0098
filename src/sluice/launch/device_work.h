// DeviceWork: work on the compute stream of a device that the host simulates: a
// kernel of a simulated device is host code. The arrays it reads and writes are
// ordered with the other streams of the device.
//
// Ownership passes to the device at launch. `run` is called once, later, on the
// thread that does the device's work, with the device's memory accessible.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/device/device.h"
#include "sluice/tensor/array.h"

namespace sluice {

struct DeviceWork {
  std::string label;  // for timelines and race reports
  double flops = 0;
  std::function<void()> run;
  std::vector<Array> reads, writes;
  // The maximum number of bytes read of each array, for ops that read a part.
  int64_t most_read = INT64_MAX;

  void Reads(const Array& array) { reads.push_back(array); }
  void Writes(const Array& array) { writes.push_back(array); }
};

// REQUIRES: `device` is simulated.
Status RunOnDevice(Device& device, DeviceWork work);

// Why the elements of an array are missing although its device has finished all
// work: a copy failed. Ok for arrays on the host.
Status FailureOf(const Array& array);

}  // namespace sluice
