// SimWork: one piece of work for a simulated device, a kernel in the main: what
// it is called, what it costs, which bytes it touches, and what it does.
//
// A value; it does not keep the memory it touches alive, as a kernel on a GPU
// does not: that memory is not reused early is what stream order is for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sluice/tensor/array.h"

namespace sluice {

struct ByteRange {
  Memory* memory = nullptr;  // null: memory of the host
  void* address = nullptr;
  int64_t bytes = 0;

  // As numbers: addresses of a device are nothing the host can count with.
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(address); }
  uintptr_t end() const { return begin() + static_cast<uintptr_t>(bytes); }
  bool Overlaps(const ByteRange& other) const {
    return memory == other.memory && begin() < other.end() &&
           other.begin() < end();
  }
};

// All bytes from the array's first element to its last, gaps between strided
// ones included.
ByteRange RangeOf(const Array& array);

struct SimWork {
  std::string label = {};
  double flops = 0;
  int64_t bytes = 0;  // moved to and from the device's memory
  // Of memory of the device; what a kernel takes from the host, it is given.
  std::vector<ByteRange> reads = {}, writes = {};
  // Run once, on some thread, with the device's memory open. What it throws
  // becomes the stream's error.
  std::function<void()> run = {};
};

}  // namespace sluice
