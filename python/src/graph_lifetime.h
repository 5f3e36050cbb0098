// A graph made by Python outlives every Python object that refers to it:
// tensors, operations, variables and lists of a graph keep its object alive, so
// no order of `del` leaves one dangling. Graphs owned by C++, such as those of
// captured functions, are not affected.
//
// common.h includes this: all files must see the same casters. Under the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include "sluice/eager/tensor.h"
#include "sluice/front/list.h"
#include "sluice/front/variable.h"

namespace sluice::py {

// Makes `holder` keep the Python object of `graph` alive, if there is one.
void KeepGraph(nanobind::handle holder, const Graph& graph) noexcept;

// The graph that an object refers to; null if none, or if it is the graph of a
// captured function, whose recording may be over. Never throws.
inline const Graph* GraphBehind(const Tensor& t) {
  return t.symbolic() && !t.traced() ? &t.graph() : nullptr;
}
inline const Graph* GraphBehind(const Operation& o) {
  return o ? &o.graph() : nullptr;
}
inline const Graph* GraphBehind(const Variable& v) {
  return v.symbolic() ? GraphBehind(v.handle()) : nullptr;
}
inline const Graph* GraphBehind(const List& l) {
  return GraphBehind(l.tensor());
}
template <class T>
const Graph* GraphBehind(const T* object) {
  return object ? GraphBehind(*object) : nullptr;
}

// nanobind's caster for the class, which also keeps the graph alive.
template <class T>
struct GraphKeepingCaster : nanobind::detail::type_caster_base<T> {
  template <class U>
  static nanobind::handle from_cpp(
      U&& value, nanobind::rv_policy policy,
      nanobind::detail::cleanup_list* cleanup) noexcept {
    const Graph* graph = GraphBehind(value);
    nanobind::handle made = nanobind::detail::type_caster_base<T>::from_cpp(
        std::forward<U>(value), policy, cleanup);
    if (graph && made.is_valid()) [[unlikely]]
      KeepGraph(made, *graph);
    return made;
  }
};

}  // namespace sluice::py

namespace nanobind::detail {

template <>
struct type_caster<sluice::Tensor>
    : sluice::py::GraphKeepingCaster<sluice::Tensor> {};
template <>
struct type_caster<sluice::Operation>
    : sluice::py::GraphKeepingCaster<sluice::Operation> {};
template <>
struct type_caster<sluice::List>
    : sluice::py::GraphKeepingCaster<sluice::List> {};
template <>
struct type_caster<sluice::Variable>
    : sluice::py::GraphKeepingCaster<sluice::Variable> {};

}  // namespace nanobind::detail
