// How far a result of one device is from that of another.
#pragma once

#include <string>

#include "sluice/op/record.h"

namespace sluice {

struct DeviceDifference {
  bool equal = true;  // as wanted: the same bits, or within the bound
  double worst = 0;   // of the difference by what is allowed, where it is more
  std::string text;   // "element 3 is 1.5; wanted 1.25"
};

// `exact`: the same bits are wanted, NaNs counted as one.
DeviceDifference CompareDevices(const OpRecord& op, const Array& got,
                                const Array& want, bool exact);

}  // namespace sluice
