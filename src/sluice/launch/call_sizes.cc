#include "sluice/launch/call_sizes.h"

namespace sluice {

CallSizes::CallSizes(const LaunchCall& call, std::span<const Array> inputs,
                     std::span<const Array> outputs)
    : call_(call) {
  for (const Array& in : inputs) {
    dtypes_.push_back(in.dtype());
    shapes_.push_back(PartialShape(in.shape()));
    values_.push_back(in.on_host() ? &in : nullptr);
  }
  // Sizes that depend on elements are not known yet.
  for (const Array& o : outputs) {
    out_.push_back(o ? PartialShape(o.shape()) : PartialShape());
  }
}

ShapeContext CallSizes::context() {
  return ShapeContext(call_.op, call_.attrs, dtypes_, shapes_, values_,
                      call_.out_dtypes, out_);
}

}  // namespace sluice
