// Cross entropy of softmax, a row of logits per sample: the loss alone, or with
// its gradient from the same pass over the row. Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// logits [n,classes], labels [n] -> loss [n] and, with two outputs, the
// gradient, of the shape of logits.
Status sparse_cross_entropy_shape(ShapeContext& c);
// Attribute "ignore_index", if present, is a label without loss.
Status sparse_cross_entropy_kernel(KernelContext& ctx);

// logits and probabilities of the same shape [n,classes].
Status dense_cross_entropy_shape(ShapeContext& c);
Status dense_cross_entropy_kernel(KernelContext& ctx);

}  // namespace sluice
