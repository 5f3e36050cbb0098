// FailedBytes: memory of devices that was to be written by work that failed,
// and why. Work that reads such bytes fails for the same reason, and so does
// what reads its results; whoever writes them makes them good.
//
// Not thread safe: a SimWorld's lock guards it.
#pragma once

#include <vector>

#include "sluice/base/status.h"
#include "sluice/device/sim/sim_work.h"

namespace sluice {

class FailedBytes {
 public:
  bool empty() const { return all_.empty(); }
  // Why one of the ranges cannot be read; ok when all can.
  Status Of(const std::vector<ByteRange>& ranges) const;
  void Add(const std::vector<ByteRange>& ranges, const Status& why);
  void Remove(const std::vector<ByteRange>& ranges);

 private:
  struct Failed {
    ByteRange range;
    Status why;
  };
  std::vector<Failed> all_;
};

}  // namespace sluice
