// ArgumentLook: an argument of a call that is a view of another tensor, either
// another argument or a tensor outside the function. A recording that writes
// one of the two treats the argument as a view of the other, and serves only
// calls whose argument is the same view.
//
// Immutable, part of its trace (trace/function_trace.h).
#pragma once

#include <vector>

#include "sluice/eager/eager_value.h"
#include "sluice/eager/tensor.h"

namespace sluice::front_internal {

class ArgumentLook {
 public:
  // REQUIRES: argument `i` is a view of another tensor.
  ArgumentLook(const std::vector<Tensor>& args, size_t i);
  // Whether the argument in `args` is the same view of the same tensor.
  bool Fits(const std::vector<Tensor>& args) const;
  size_t argument() const { return argument_; }

 private:
  // The chain of views, base first. It has several links where a part of it was
  // detached.
  struct Link {
    std::vector<ViewStep> steps;
    bool records;
  };
  const size_t argument_;
  int64_t into_ = -1;  // index of the argument it views; negative: `around_`
  EagerRef around_;
  std::vector<Link> links_;
};

// Takes the tensors that a recording found to share memory in a way it could
// not follow, in pairs. Adds to `looks` the arguments it can treat as views of
// the other tensor, or of a common base. Returns false when there are none.
bool AddLooks(const std::vector<Tensor>& args,
              const std::vector<EagerRef>& shared,
              std::vector<const EagerValue*>& looks);

}  // namespace sluice::front_internal
