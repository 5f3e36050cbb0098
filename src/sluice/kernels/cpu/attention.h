// Scaled dot product attention, y = softmax(q k' scale + mask) v, block by
// block: scores exist only for one block of keys at a time, with a running
// maximum and sum per query, so memory does not grow with the product of the
// lengths. Products use the tile of matrix products (kernels/cpu/gemm), with k
// and v packed once for all queries. A query that sees no key gets zeros.
//
// The gradient processes the blocks again, from the logarithms of the sums; the
// blocks of each head run one after another, so that sums have a fixed order.
// Stateless; any thread.
#pragma once

#include "sluice/op/kernel_context.h"
#include "sluice/op/shape_context.h"

namespace sluice {

// q, k, v and at most one mask -> y, lse.
Status attention_shape(ShapeContext& c);
Status attention_kernel(KernelContext& ctx);
int64_t attention_workspace(const ShapeContext& c);
double attention_cost(const ShapeContext& c);

// dy, q, k, v, y, lse and at most one mask -> dq, dk, dv.
Status attention_grad_shape(ShapeContext& c);
Status attention_grad_kernel(KernelContext& ctx);
int64_t attention_grad_workspace(const ShapeContext& c);
double attention_grad_cost(const ShapeContext& c);

}  // namespace sluice
