// CountedAllocator: an allocator of host memory with accounts of its own, for
// one of several CPU devices. Bytes that lie elsewhere, such as the elements of
// small arrays, which follow their rep, are counted without a block.
//
// Every allocator whose memory() is not null and on the host is one. Thread
// safe.
#pragma once

#include <cstdint>

#include "sluice/tensor/allocator.h"

namespace sluice {

class CountedAllocator : public Allocator {
 public:
  // Counts the bytes as handed out; false, and nothing is counted, when they
  // go beyond the limit.
  virtual bool Count(int64_t bytes) = 0;
  virtual void Uncount(int64_t bytes) = 0;
};

}  // namespace sluice
