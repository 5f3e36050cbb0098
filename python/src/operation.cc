#include "attr_value.h"
#include "graph.h"
#include "sluice/base/strings.h"
#include "sluice/graph/text_printer.h"
#include "tensor.h"

namespace sluice::py {

namespace {

std::vector<Tensor> Outputs(const Operation& o) {
  std::vector<Tensor> outputs;
  for (int i = 0; i < o.num_outputs(); ++i) outputs.push_back(o.output(i));
  return outputs;
}

std::vector<Tensor> Inputs(const Operation& o) {
  std::vector<Tensor> inputs;
  for (const Value& in : o.node().inputs()) inputs.emplace_back(o.graph(), in);
  return inputs;
}

std::vector<Operation> Controls(const Operation& o) {
  std::vector<Operation> controls;
  for (Node* node : o.node().controls())
    controls.emplace_back(o.graph(), *node);
  return controls;
}

nb::dict AttrsOf(const Operation& o) {
  nb::dict attrs;
  for (const AttrSpec& spec : o.node().op().attrs) {
    if (const AttrValue* value = o.node().attrs().find(spec.name)) {
      attrs[spec.name.c_str()] = AttrToPython(*value);
    }
  }
  return attrs;
}

Operation Made(const Tensor& t) { return t.operation(); }

}  // namespace

void BindOperation(nb::module_& m) {
  nb::class_<Operation>(m, "Operation", nb::is_weak_referenceable(),
                        "One operation of a graph: run by a Session for what "
                        "it does.")
      .def_prop_ro("name", &Operation::name, "\"encoder/MatMul\".")
      .def_prop_ro("type", &Operation::type, "The op it runs: \"MatMul\".")
      .def_prop_ro("inputs", &Inputs, "The tensors it reads.")
      .def_prop_ro("outputs", &Outputs, "The tensors it gives.")
      .def_prop_ro("control_inputs", &Controls,
                   "Operations that finish before it begins.")
      .def_prop_ro(
          "graph", [](const Operation& o) { return GraphObject(o.graph()); },
          "The graph it is part of.")
      .def_prop_ro("attrs", &AttrsOf, "Its attributes by name.")
      .def_prop_ro(
          "device", [](const Operation& o) { return o.node().device(); },
          "Where it was asked to run; \"\" for no wish.")
      .def_prop_ro(
          "file", [](const Operation& o) { return o.node().line().file; },
          "The file of the user's line that made it.")
      .def_prop_ro(
          "lineno", [](const Operation& o) { return o.node().line().line; },
          "The number of the user's line that made it.")
      .def_prop_ro(
          "line", [](const Operation& o) { return o.node().line().ToString(); },
          "The user's line that made it: \"model.py:41\".")
      .def("__eq__",
           [](const Operation& a, const Operation& b) { return a == b; })
      .def("__eq__", [](const Operation&, nb::handle) { return false; })
      .def("__hash__",
           [](const Operation& o) {
             return static_cast<Py_ssize_t>(
                 reinterpret_cast<uintptr_t>(&o.node()) >> 4);
           })
      .def("__repr__", [](const Operation& o) {
        return StrCat("<sluice.Operation ", PrintNode(o.node()), ">");
      });

  TensorClass()
      .def_prop_ro("op", &Made, "The operation of a graph that gives it.")
      .def_prop_ro(
          "graph", [](const Tensor& t) { return GraphObject(t.graph()); },
          "The graph it is part of.");
}

}  // namespace sluice::py
