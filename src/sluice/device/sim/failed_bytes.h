// FailedBytes: device memory whose writer failed, with the reason. Work that
// reads such bytes fails for the same reason, and so do readers of its results.
// A successful write makes the bytes valid again.
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
  // Why one of the ranges cannot be read; ok if all can.
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
