// The ops, besides queues and variables, that training over tasks uses, called
// by name: this library is below the C++ functions of ops (<sluice/ops.h>).
#pragma once

#include <source_location>
#include <vector>

#include "sluice/eager/call.h"

namespace sluice::distributed::calls {

using Where = std::source_location;

inline Tensor One(std::string_view op, std::vector<Operand> in, Where where,
                  const Attrs& attrs = {}) {
  return front_internal::CallOne(op, in, attrs, {}, where);
}

inline Tensor Identity(const Operand& x, Where where) {
  return One("Identity", {x}, where);
}
inline Tensor Cast(const Operand& x, DType dtype, Where where) {
  return One("Cast", {x}, where, {{"dtype", dtype}});
}
inline Tensor Concat(const Tensor& a, const Tensor& b, Where where) {
  return One("Concat", {a, b}, where);
}
inline Operation NoOp(Where where) {
  return front_internal::CallOperation("NoOp", {}, {}, {}, where);
}

// Sizes as an operand.
inline Operand Sizes(const std::vector<int64_t>& dims) {
  return Array::Vector(std::span<const int64_t>(dims));
}
// A constant tensor made by an op: a constant node would travel with the graph.
inline Tensor Filled(double value, DType dtype,
                     const std::vector<int64_t>& dims, Where where) {
  return One("BroadcastTo", {Cast(value, dtype, where), Sizes(dims)}, where);
}
inline std::vector<int64_t> DimsOf(const PartialShape& shape) {
  return {shape.dims().begin(), shape.dims().end()};
}

}  // namespace sluice::distributed::calls
