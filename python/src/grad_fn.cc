// Tensor.grad_fn: the recorded call that produced a tensor, for inspection.
#include "autograd.h"
#include "sluice/base/strings.h"
#include "sluice/eager/tape.h"
#include "tensor.h"

namespace sluice::py {

namespace {

struct GradFn {
  Ref<TapeNode> node;

  std::string ToString() const {
    std::string text = StrCat("<", node->name(), "Backward");
    if (node->line().known()) StrAppend(text, " of ", node->line().ToString());
    return text + ">";
  }
};

nb::object FunctionOf(const Tensor& t) {
  if (t.symbolic() || t.is_sparse()) return nb::none();
  const Ref<TapeNode>& node = t.eager()->producer;
  return node ? nb::cast(GradFn{node}) : nb::none();
}

nb::tuple NextFunctions(const GradFn& fn) {
  nb::list list;
  for (const TapeEdge& edge : fn.node->edges) {
    nb::object next = edge.node ? nb::cast(GradFn{edge.node}) : nb::none();
    list.append(nb::make_tuple(next, edge.output));
  }
  return nb::tuple(list);
}

}  // namespace

void BindGradFn(nb::module_& m) {
  nb::class_<GradFn>(m, "GradFn",
                     "A recorded call, whose gradient backward() takes.")
      .def("name",
           [](const GradFn& fn) { return StrCat(fn.node->name(), "Backward"); })
      .def_prop_ro(
          "op", [](const GradFn& fn) { return std::string(fn.node->name()); })
      .def_prop_ro(
          "line", [](const GradFn& fn) { return fn.node->line().ToString(); },
          "The line of the program that made the call: \"train.py:7\"")
      .def_prop_ro("next_functions", &NextFunctions,
                   "One (GradFn or None, output) for each input of the call")
      .def("__eq__",
           [](const GradFn& a, const nb::object& b) {
             return nb::isinstance<GradFn>(b) &&
                    nb::cast<const GradFn&>(b).node == a.node;
           })
      .def("__hash__",
           [](const GradFn& fn) {
             return reinterpret_cast<uintptr_t>(fn.node.get()) >> 4;
           })
      .def("__repr__", &GradFn::ToString);
  TensorClass().def_prop_ro(
      "grad_fn", &FunctionOf,
      "The recorded call this tensor came from; None for a leaf.");
}

}  // namespace sluice::py
