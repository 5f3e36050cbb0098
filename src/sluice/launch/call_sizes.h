// CallSizes: the types, shapes and host values of a call's arrays, in the form
// that the size functions of its op (workspace, cost) expect.
//
// Used by one thread; lives no longer than the call and its arrays.
#pragma once

#include <span>

#include "sluice/base/small_vector.h"
#include "sluice/launch/launch_on.h"
#include "sluice/op/shape_context.h"

namespace sluice {

class CallSizes {
 public:
  CallSizes(const LaunchCall& call, std::span<const Array> inputs,
            std::span<const Array> outputs);
  CallSizes(const CallSizes&) = delete;
  CallSizes& operator=(const CallSizes&) = delete;

  ShapeContext context();

 private:
  const LaunchCall& call_;
  SmallVector<DType, 6> dtypes_;
  SmallVector<PartialShape, 6> shapes_, out_;
  SmallVector<const Array*, 6> values_;
};

}  // namespace sluice
