// Sizes of images as attributes, for gradient rules of ops that take them so.
#pragma once

#include "sluice/op/grad_context.h"

namespace sluice {

// The sizes of a value [batch, channels, ...] behind the channels. Where they
// are unknown the rule fails.
inline std::vector<int64_t> SpatialSizes(GradContext& g, GradVar value) {
  std::vector<int64_t> sizes;
  PartialShape shape = value.shape();
  for (int i = 2; i < shape.rank(); ++i) sizes.push_back(shape[i]);
  for (int64_t size : sizes) {
    if (size < 0) sizes.clear();
  }
  if (sizes.empty()) g.fail("the gradient needs to know the sizes of dy");
  return sizes;
}

}  // namespace sluice
