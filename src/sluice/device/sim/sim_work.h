// SimWork: one piece of work for a simulated device, usually a kernel: its
// name, its cost, the bytes it touches, and its function.
//
// A plain value. Like a kernel on a GPU, it does not keep the memory it touches
// alive: stream order ensures that memory is not reused early.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sluice/tensor/array.h"

namespace sluice {

struct ByteRange {
  Memory* memory = nullptr;  // null: host memory
  void* address = nullptr;
  int64_t bytes = 0;

  // As an integer: the host must not do pointer arithmetic on device addresses.
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(address); }
  uintptr_t end() const { return begin() + static_cast<uintptr_t>(bytes); }
  bool Overlaps(const ByteRange& other) const {
    return memory == other.memory && begin() < other.end() &&
           other.begin() < end();
  }
};

// All bytes from the array's first element to its last, including gaps of
// strided arrays.
ByteRange RangeOf(const Array& array);

struct SimWork {
  std::string label = {};
  double flops = 0;
  int64_t bytes = 0;  // moved to and from the device's memory
  // In device memory; values from the host are passed as parameters.
  std::vector<ByteRange> reads = {}, writes = {};
  // Called once, on some thread, with the device's memory accessible. An
  // exception becomes the stream's error.
  std::function<void()> run = {};
};

}  // namespace sluice
