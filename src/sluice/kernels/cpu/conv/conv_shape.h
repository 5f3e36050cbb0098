// Shape functions of convolutions over 1 to 3 spatial axes. Images are [batch,
// channels, ...], kernels [out, in / groups, ...]. Stateless; any thread.
#pragma once

#include "sluice/op/shape_context.h"

namespace sluice {

namespace conv_internal {
Status Forward(ShapeContext& c, int axes);     // x, w
Status Transpose(ShapeContext& c, int axes);   // x, w
Status InputGrad(ShapeContext& c, int axes);   // dy, w, shape of x
Status FilterGrad(ShapeContext& c, int axes);  // x, dy, shape of w
}  // namespace conv_internal

template <int kAxes>
Status conv_shape(ShapeContext& c) {
  return conv_internal::Forward(c, kAxes);
}
template <int kAxes>
Status conv_transpose_shape(ShapeContext& c) {
  return conv_internal::Transpose(c, kAxes);
}
template <int kAxes>
Status conv_input_grad_shape(ShapeContext& c) {
  return conv_internal::InputGrad(c, kAxes);
}
template <int kAxes>
Status conv_filter_grad_shape(ShapeContext& c) {
  return conv_internal::FilterGrad(c, kAxes);
}

}  // namespace sluice
