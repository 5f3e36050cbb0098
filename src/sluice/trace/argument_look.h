// ArgumentLook: how an argument of a call is a view of another tensor, which is
// an argument or outside of the function. A recording that writes either treats
// the one as a view of the other, and serves calls with the same view.
//
// Immutable, part of its trace (trace/function_trace.h).
#pragma once

#include <vector>

#include "sluice/eager/eager_value.h"
#include "sluice/eager/tensor.h"

namespace sluice::front_internal {

class ArgumentLook {
 public:
  // REQUIRES: argument `i` looks into another tensor.
  ArgumentLook(const std::vector<Tensor>& args, size_t i);
  // Whether it looks the same way into the same.
  bool Fits(const std::vector<Tensor>& args) const;
  size_t argument() const { return argument_; }

 private:
  // From what it looks into on; several where some of it was detached.
  struct Link {
    std::vector<ViewStep> steps;
    bool records;
  };
  const size_t argument_;
  int64_t into_ = -1;  // which argument; negative: `around_`
  EagerRef around_;
  std::vector<Link> links_;
};

// Tensors that a recording has found to share memory in a way it could not
// follow, in pairs. Adds to `looks` those arguments it can follow as views of
// the other, or of what both look into; false when there are none.
bool AddLooks(const std::vector<Tensor>& args,
              const std::vector<EagerRef>& shared,
              std::vector<const EagerValue*>& looks);

}  // namespace sluice::front_internal
