// CountedAllocator: an allocator of host memory with separate accounts, for one
// of several CPU devices. Bytes stored elsewhere, such as the elements of small
// arrays, which follow their rep, are counted without a block.
//
// Every allocator whose memory() is not null and on the host is one. Thread
// safe.
#pragma once

#include <cstdint>

#include "sluice/tensor/allocator.h"

namespace sluice {

class CountedAllocator : public Allocator {
 public:
  // Counts the bytes as handed out; returns false and counts nothing if they
  // would exceed the limit.
  virtual bool Count(int64_t bytes) = 0;
  virtual void Uncount(int64_t bytes) = 0;
};

}  // namespace sluice
