// KnownShapes: the output shapes of one call as they follow from the shapes of
// its inputs alone, computed once. A caller that repeats the call compares
// sizes instead of calling the shape function each time.
//
// Immutable; any thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sluice/op/record.h"

namespace sluice {

class KnownShapes {
 public:
  // Null when not all shapes are known, the shape function rejects them, or it
  // asks for an input's elements: these may change between runs, and a function
  // that reads them may reject them.
  static std::unique_ptr<KnownShapes> Of(const OpRecord& op, const Attrs& attrs,
                                         std::span<const DType> in_dtypes,
                                         std::span<const PartialShape> in,
                                         std::span<const DType> out_dtypes);

  // Whether the outputs below are those for these inputs.
  bool Fits(std::span<const Array> inputs) const;
  const Shape& out(size_t i) const { return out_[i]; }

 private:
  std::vector<Shape> in_, out_;
};

}  // namespace sluice
