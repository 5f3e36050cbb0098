// Sparse gradients in flight: made, added up, made dense. Rows plus rows are
// both, one after the other; rows plus a dense gradient are dense.
#pragma once

#include "sluice/autodiff/gradients.h"
#include "sluice/eager/eager_value.h"
#include "sluice/eager/tensor.h"

namespace sluice {

class Recording;

// An imperative sparse gradient for a value of that type and shape.
EagerRef MakeRows(EagerRef indices, EagerRef values, DType dtype,
                  const Shape& shape);
// The same while a function is recorded; `shape` is that of the whole.
EagerRef MakeRows(EagerRef indices, EagerRef values, Recording& recording,
                  Value shape, const ValueType& type);

// The gradient as one array; itself when it is one.
Result<EagerRef> DenseGradient(const EagerRef& gradient);

// a + b. What only the caller holds is written over, unless calls are recorded.
Result<EagerRef> AddGradients(EagerRef a, EagerRef b, bool record);

// What was found in a graph, as the user sees it; `shape` is that of the whole.
Tensor GradientTensor(Graph& graph, const GradientValue& found,
                      const PartialShape& shape);

// What flows, from a tensor that may be sparse, traced or not.
EagerRef GradientRef(const Tensor& gradient);

// A sparse gradient for the same tensor as another, while it is recorded.
Tensor RowsAt(const Tensor& like, const Tensor& indices, const Tensor& values);

// a + b for Tensors, in graphs too.
Tensor AddGradients(const Tensor& a, const Tensor& b);

}  // namespace sluice
