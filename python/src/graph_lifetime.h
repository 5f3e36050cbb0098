// A graph that Python made outlives every Python object that points into it:
// tensors, operations, variables and lists of a graph keep its object alive,
// so that no order of `del` can leave one dangling. Graphs that C++ owns, such
// as those of captured functions, are not touched.
//
// common.h includes this: all files must see the same casters. Under the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include "sluice/eager/tensor.h"
#include "sluice/front/list.h"
#include "sluice/front/variable.h"

namespace sluice::py {

// `holder` keeps the Python object of `graph`, if there is one.
void KeepGraph(nanobind::handle holder, const Graph& graph) noexcept;

// The graph an object points into; null for none.
inline const Graph* GraphBehind(const Tensor& t) {
  return t.symbolic() ? &t.graph() : nullptr;
}
inline const Graph* GraphBehind(const Operation& o) {
  return o ? &o.graph() : nullptr;
}
inline const Graph* GraphBehind(const Variable& v) {
  return v.symbolic() ? &v.handle().graph() : nullptr;
}
inline const Graph* GraphBehind(const List& l) {
  return GraphBehind(l.tensor());
}
template <class T>
const Graph* GraphBehind(const T* object) {
  return object ? GraphBehind(*object) : nullptr;
}

// What nanobind does for any class, and the graph kept alive.
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
