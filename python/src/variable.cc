#include "sluice/front/variable.h"

#include "bindings.h"
#include "errors.h"
#include "fit_array.h"
#include "graph.h"
#include "op_call.h"
#include "operand.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/node.h"
#include "variable_operators.h"
#include "written_numbers.h"

namespace sluice::py {

namespace {

std::string Text(const std::optional<std::string>& text) {
  return text.value_or("");
}

void Make(nb::pointer_and_handle<Variable> self, nb::handle initial,
          std::optional<std::string> name, nb::handle dtype, nb::handle shape,
          std::optional<std::string> container,
          std::optional<std::string> shared_name) {
  VariableOptions options{ContainerOr(container), Text(shared_name)};
  DType wanted = dtype.is_none() ? DType::kInvalid : DTypeFromPython(dtype);
  Variable made;
  if (initial.is_none()) {
    if (wanted == DType::kInvalid) {
      ThrowTypeError(
          "Variable(): there is no initial value; wanted one, or dtype and "
          "shape");
    }
    OpenGraph("Variable() without an initial value");
    made = variable(wanted, PartialSizes(ShapeFromPython(shape, "Variable()")),
                    Text(name), options);
  } else {
    nb::object value = nb::borrow(initial);
    // A callable is called here for the value.
    if (PyCallable_Check(initial.ptr()) && !IsTensor(initial) &&
        !nb::isinstance<Variable>(initial)) {
      value = initial();
    }
    constexpr const char* kWhat = "Variable(): the initial value";
    if (wanted != DType::kInvalid && !IsTensor(value) &&
        !nb::isinstance<Variable>(value)) {
      Given given = Take(value, kWhat);
      if (given.weak && !given.tensor.defined()) {
        CheckWritten(given.array, wanted, kWhat, Negatives::kRefused);
      }
    }
    Tensor tensor = ToTensor(value, kWhat);
    bool number = !IsTensor(value) && !nb::isinstance<Variable>(value) &&
                  tensor.rank() == 0;
    const Device* device = number ? MakingDevice() : nullptr;
    if (device && !tensor.symbolic() && IsPlainData(tensor.dtype()) &&
        !front_internal::Building::Current().graph) {
      tensor = tensor.to(device->name_text());
    }
    if (wanted != DType::kInvalid && tensor.dtype() != wanted) {
      tensor = CallOne("Cast", {{tensor, {}, false}}, {{"dtype", wanted}});
    }
    if (!shape.is_none()) {
      PartialShape said = ShapeFromPython(shape, "Variable()");
      if (!said.CompatibleWith(tensor.shape())) {
        ThrowValueError(StrCat("Variable(): the initial value is ",
                               TypeText(tensor.dtype(), tensor.shape()),
                               "; wanted shape ", said.ToString()));
      }
    }
    made = variable(tensor, Text(name), options);
  }
  new (self.p) Variable(std::move(made));
  if (self.p->symbolic()) KeepGraph(self.h, self.p->handle().graph());
}

using Change = Operation (Variable::*)(const Operand&, std::string_view,
                                       std::source_location) const;
// An operation of the graph, or None if it has already run.
nb::object Done(const Operation& operation) {
  return operation ? nb::cast(operation) : nb::none();
}

// A literal is made on the device of an imperative variable.
Tensor ValueFor(const Variable& v, nb::handle value, std::string_view what) {
  Tensor fitting = FitTensor(value, what, v.dtype());
  if (v.symbolic() || IsTensor(value) || fitting.symbolic()) return fitting;
  return IsPlainData(fitting.dtype()) ? fitting.to(v.read().device()) : fitting;
}

template <Change change>
nb::object Apply(const Variable& v, nb::handle value,
                 std::optional<std::string> name) {
  Operand operand = ValueFor(v, value, "assign: value");
  return Done(
      (v.*change)(operand, Text(name), std::source_location::current()));
}

using RowChange = Operation (Variable::*)(const Operand&, const Operand&,
                                          std::source_location) const;
template <RowChange change>
nb::object ApplyRows(const Variable& v, nb::handle indices, nb::handle values) {
  Given at = Take(indices, "scatter: indices");
  Operand where = at.tensor.defined() ? Operand(at.tensor) : Operand(at.array);
  if (!at.tensor.defined() && !IsInteger(at.array.dtype())) {
    ThrowTypeError(StrCat("scatter: indices are ", at.array.TypeText(),
                          "; wanted whole numbers"));
  }
  Operand rows = ValueFor(v, values, "scatter: values");
  return Done((v.*change)(where, rows, std::source_location::current()));
}

std::vector<Variable> VariablesOf(Graph& graph) {
  std::vector<Tensor> handles;
  {
    MutexLock lock(graph.mu());
    for (Node* node : graph.root().nodes()) {
      if (node->op().role == Role::kVariable) {
        handles.emplace_back(graph, node->output());
      }
    }
  }
  std::vector<Variable> variables;
  for (const Tensor& h : handles) variables.push_back(Variable::OfHandle(h));
  return variables;
}

Graph& GraphOr(nb::handle graph, std::string_view what) {
  if (graph.is_none()) return OpenGraph(what);
  if (!nb::isinstance<Graph>(graph)) {
    ThrowTypeError(StrCat(what, ": graph is a ", Py_TYPE(graph.ptr())->tp_name,
                          "; wanted a Graph"));
  }
  return nb::cast<Graph&>(graph);
}

std::string Repr(const Variable& v) {
  if (!v.defined()) return "<sluice.Variable that holds nothing>";
  std::string name = v.name();
  std::string text =
      StrCat("<sluice.Variable ", name.empty() ? "" : "\"", name,
             name.empty() ? "" : "\" ", TypeText(v.dtype(), v.shape()));
  if (!v.symbolic()) StrAppend(text, " = ", v.tensor().array().ToString());
  return text + ">";
}

}  // namespace

void BindVariable(nb::module_& m) {
  nb::class_<Variable> cls(
      m, "Variable", nb::type_slots(VariableSlots()), nb::dynamic_attr(),
      nb::is_weak_referenceable(),
      "An array that survives steps: its value lives in a Session. Used as a "
      "tensor it is read where it stands in the program. Made while no graph "
      "is open it is an imperative tensor that changes at once.");
  cls.def("__init__", &Make, "initial_value"_a = nb::none(),
          "name"_a = nb::none(), "dtype"_a = nb::none(), "shape"_a = nb::none(),
          "container"_a = nb::none(), "shared_name"_a = nb::none())
      .def_prop_ro("name", &Variable::name)
      .def_prop_ro("dtype",
                   [](const Variable& v) { return PythonDType(v.dtype()); })
      .def_prop_ro("shape",
                   [](const Variable& v) { return ShapeToPython(v.shape()); })
      .def_prop_ro("ndim", [](const Variable& v) { return v.shape().rank(); })
      .def_prop_ro("symbolic", &Variable::symbolic,
                   "Whether it is part of a graph.")
      .def(
          "read", [](const Variable& v) { return v.read(); },
          "Its value at this place of the program.")
      .def(
          "value", [](const Variable& v) { return v.value(); },
          "Its value before anything a step does to it: what fetching reads.")
      .def("assign", &Apply<&Variable::assign>, "value"_a,
           "name"_a = nb::none(),
           "The operation that gives it a new value; imperatively it has it.")
      .def("assign_add", &Apply<&Variable::assign_add>, "value"_a,
           "name"_a = nb::none(), "The operation that adds to it.")
      .def("assign_sub", &Apply<&Variable::assign_sub>, "value"_a,
           "name"_a = nb::none(), "The operation that subtracts from it.")
      .def("scatter_add", &ApplyRows<&Variable::scatter_add>, "indices"_a,
           "values"_a, "Adds slices along axis 0 at a vector of indices.")
      .def("scatter_sub", &ApplyRows<&Variable::scatter_sub>, "indices"_a,
           "values"_a, "Subtracts slices along axis 0 at a vector of indices.")
      .def("scatter_update", &ApplyRows<&Variable::scatter_update>, "indices"_a,
           "values"_a, "Sets slices along axis 0 at a vector of indices.")
      .def(
          "is_initialized",
          [](const Variable& v) { return v.is_initialized(); },
          "Whether it has a value, as a tensor of bool.")
      .def_prop_ro("initializer", &Variable::initializer,
                   "The operation that gives it its initial value.")
      .def_prop_ro("handle", [](const Variable& v) { return v.handle(); })
      .def_prop_ro(
          "tensor", [](const Variable& v) { return v.tensor(); },
          "The imperative tensor.")
      .def_prop_ro(
          "op", [](const Variable& v) { return v.handle().operation(); },
          "The operation that names it in its graph.")
      .def_prop_ro(
          "graph",
          [](const Variable& v) { return GraphObject(v.handle().graph()); },
          "The graph it is part of.")
      .def("__repr__", &Repr)
      .def("__getattr__", &VariableAttribute);

  m.def(
      "initialize_variables",
      [](nb::handle graph) {
        return initialize_variables(GraphOr(graph, "initialize_variables()"));
      },
      "graph"_a = nb::none(),
      "One operation that gives every variable the graph has so far its "
      "initial value.");
  m.def(
      "global_variables",
      [](nb::handle graph) {
        return VariablesOf(GraphOr(graph, "global_variables()"));
      },
      "graph"_a = nb::none(),
      "The variables of a graph, in the order they were made.");
  m.def(
      "variables_behind",
      [](const Tensor& value) { return variables_behind(value); }, "value"_a,
      "The variables a tensor of a graph depends on.");
  BindGraphGradients(m);
}

}  // namespace sluice::py
