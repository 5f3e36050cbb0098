// Elements of the program as part of a graph: a graph keeps the value it was
// given, whatever is written to the tensor, or to the memory it shares with
// numpy, later on. So they are copied.
//
// While a graph's scope is open, elements that are used again and have not
// changed are copied once; elements are compared, since not every writer
// reports its writes. For one thread, as scopes are.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/base/status.h"
#include "sluice/tensor/array.h"

namespace sluice::front_internal {

class KeptConstants {
 public:
  // A copy of the array that nobody writes. Errors: ResourceExhausted.
  Result<Array> Keep(const Array& array);

 private:
  // By address: what is there may have become another array since.
  std::unordered_map<const void*, std::vector<Array>> copies_;
};

// With the copies of the scope that is open here, if one is.
Result<Array> KeptConstant(const Array& array);

}  // namespace sluice::front_internal
