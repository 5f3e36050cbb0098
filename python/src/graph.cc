#include "graph.h"

#include "bindings.h"
#include "caller_line.h"
#include "errors.h"
#include "operand.h"
#include "scope_stack.h"
#include "sluice/base/strings.h"
#include "sluice/eager/constants.h"
#include "sluice/eager/scope.h"
#include "sluice/graph/binary_reader.h"
#include "sluice/graph/binary_writer.h"
#include "sluice/graph/text_parser.h"
#include "sluice/graph/text_printer.h"
#include "tensor.h"

namespace sluice::py {

nb::object GraphObject(Graph& graph) {
  nb::object object = nb::find(graph);
  if (object.is_valid()) return object;
  // Such a graph may be destroyed at any time; no object may outlive it.
  throw std::runtime_error(StrCat(
      "graph \"", graph.name(),
      "\" is that of a captured function, which is not to be had from inside"));
}

Graph& OpenGraph(std::string_view what) {
  Graph* graph = front_internal::Building::Current().graph;
  if (graph) return *graph;
  throw std::runtime_error(StrCat(what,
                                  " needs a graph, and none is open on this "
                                  "thread; wanted `with sluice.Graph():`"));
}

namespace {

nb::object Taken(Result<std::unique_ptr<Graph>> made) {
  std::unique_ptr<Graph> graph = ValueOrThrow(std::move(made));
  return nb::cast(graph.release(), nb::rv_policy::take_ownership);
}

nb::object ParseText(const std::string& text) {
  Result<std::unique_ptr<Graph>> made = [&] {
    ReleaseGil released;
    return ParseGraph(text);
  }();
  return Taken(std::move(made));
}

nb::object FromBytes(const nb::bytes& bytes) {
  return Taken(ReadBinary({bytes.c_str(), bytes.size()}));
}

nb::object ToBytes(const Graph& graph) {
  MutexLock lock(graph.mu());
  std::string bytes = WriteBinary(graph);
  return nb::bytes(bytes.data(), bytes.size());
}

std::string Text(const Graph& graph, bool types, bool lines) {
  MutexLock lock(graph.mu());
  return PrintGraph(graph, {types, lines});
}

std::vector<Operation> Operations(Graph& graph) {
  std::vector<Operation> operations;
  MutexLock lock(graph.mu());
  for (Node* node : graph.root().nodes()) operations.emplace_back(graph, *node);
  return operations;
}

int Count(const Graph& graph) {
  MutexLock lock(graph.mu());
  return static_cast<int>(graph.root().nodes().size());
}

bool Contains(const Graph& graph, std::string_view name) {
  MutexLock lock(graph.mu());
  return graph.FindNode(name) != nullptr;
}

// A tensor, or an operation without outputs.
nb::object Find(Graph& graph, std::string_view name) {
  {
    MutexLock lock(graph.mu());
    Node* node = graph.FindNode(name);
    if (node && node->num_outputs() == 0) {
      return nb::cast(Operation(graph, *node));
    }
  }
  return nb::cast(find_tensor(graph, name));
}

void Enter(nb::handle self, Graph& graph) {
  PushScope(self, nb::borrow(self),
            [&] { return std::make_shared<GraphScope>(graph); });
}

// The result of as_default(): `with graph.as_default():`.
struct AsDefault {
  Graph* graph;
};

Tensor Placeholder(nb::handle dtype, nb::handle shape,
                   std::optional<std::string> name) {
  OpenGraph("placeholder()");
  return placeholder(DTypeFromPython(dtype),
                     PartialSizes(ShapeFromPython(shape, "placeholder()")),
                     name.value_or(""));
}

Tensor Constant(nb::handle value, nb::handle dtype, nb::handle shape,
                std::optional<std::string> name) {
  DType wanted = dtype.is_none() ? DType::kInvalid : DTypeFromPython(dtype);
  if (IsTensor(value) && AsTensor(value).symbolic()) {
    ThrowTypeError(
        "constant(): value is a tensor of a graph, which has "
        "elements only in a step; wanted a number, a list or an "
        "array");
  }
  Array array = ArrayOf(value, "constant(): value", wanted);
  if (!shape.is_none()) {
    PartialShape wanted_shape = ShapeFromPython(shape, "constant()");
    if (!wanted_shape.fully_known()) {
      ThrowValueError(StrCat("constant(): shape is ", wanted_shape,
                             "; wanted all sizes known"));
    }
    Shape sizes = wanted_shape.ToShape();
    if (array.num_elements() == 1 && sizes.num_elements() != 1) {
      return full(sizes, array.WithShape(Shape()), name.value_or(""));
    }
    if (array.num_elements() != sizes.num_elements()) {
      ThrowValueError(StrCat("constant(): the value is ", array.TypeText(),
                             "; wanted as many elements as shape ",
                             sizes.ToString(), " has"));
    }
    array = array.WithShape(sizes);
  }
  return constant(array, name.value_or(""));
}

void BindGraphClass(nb::module_& m) {
  nb::class_<Graph> cls(m, "Graph", nb::is_weak_referenceable(),
                        nb::dynamic_attr(),
                        "A program of operations, built first and run later by "
                        "a Session.\n\n"
                        "    with sl.Graph() as g:\n"
                        "        x = sl.placeholder(sl.float32, [None, 3])\n"
                        "        y = x * 2\n\n"
                        "What is called inside `with` becomes part of it.");
  cls.def(nb::init<std::string_view>(), "name"_a = "main")
      .def_prop_ro("name", &Graph::name, "The graph's name.")
      .def("__enter__",
           [](nb::handle self) {
             Enter(self, nb::cast<Graph&>(self));
             return nb::borrow(self);
           })
      .def("__exit__", [](nb::handle self, nb::args) { PopScope(self); })
      .def(
          "as_default", [](Graph& g) { return AsDefault{&g}; },
          nb::keep_alive<0, 1>(),
          "A scope for `with`: what is called inside becomes part of the "
          "graph.")
      .def("operations", &Operations, "All operations, in program order.")
      .def("find", &Find, "name"_a,
           "The tensor of that name (\"x\", \"split:1\"), or the operation "
           "when it gives none.")
      .def(
          "tensor",
          [](Graph& g, std::string_view name) { return find_tensor(g, name); },
          "name"_a, "The tensor called \"x\", \"x:0\" or \"split:1\".")
      .def(
          "operation",
          [](Graph& g, std::string_view name) {
            return find_operation(g, name);
          },
          "name"_a, "The operation of that name.")
      .def("text", &Text, "types"_a = true, "lines"_a = true,
           "The graph as text, which parse_graph reads back.")
      .def("to_bytes", &ToBytes, "The graph as compact bytes.")
      .def_static("from_bytes", &FromBytes, "data"_a,
                  "The graph that to_bytes wrote.")
      .def("__len__", &Count)
      .def("__bool__", [](const Graph&) { return true; })
      .def("__contains__", &Contains, "name"_a)
      .def("__contains__", [](const Graph&, nb::handle) { return false; })
      .def("__str__", [](const Graph& g) { return Text(g, true, true); })
      .def("__repr__", [](const Graph& g) {
        return StrCat("<sluice.Graph \"", g.name(), "\" of ", Count(g),
                      " operations>");
      });
}

void BindGraphScope(nb::module_& m) {
  nb::class_<AsDefault>(m, "GraphScope",
                        "What Graph.as_default() gives, for `with`.")
      .def("__enter__",
           [](nb::handle self) {
             Graph& graph = *nb::cast<AsDefault&>(self).graph;
             PushScope(self, nb::borrow(self),
                       [&] { return std::make_shared<GraphScope>(graph); });
             return GraphObject(graph);
           })
      .def("__exit__", [](nb::handle self, nb::args) { PopScope(self); });
}

void BindGraphFunctions(nb::module_& m) {
  m.def("parse_graph", &ParseText, "text"_a,
        "The graph that str(graph) wrote. ValueError with line and column when "
        "the text is none.");
  m.def(
      "current_graph",
      []() -> nb::object {
        Graph* graph = front_internal::Building::Current().graph;
        return graph ? GraphObject(*graph) : nb::none();
      },
      "The graph that is open on this thread, or None.");
  m.def("placeholder", &Placeholder, "dtype"_a = DType::kF32,
        "shape"_a = nb::none(), "name"_a = nb::none(),
        "A value every step is fed. `shape` may leave sizes open: [None, 784]; "
        "None alone is any shape.");
  m.def("constant", &Constant, "value"_a, "dtype"_a = nb::none(),
        "shape"_a = nb::none(), "name"_a = nb::none(),
        "The elements as part of the open graph; a tensor when none is open. "
        "A single number fills `shape`.");
}

}  // namespace

void BindGraph(nb::module_& m) {
  BindGraphClass(m);
  BindGraphScope(m);
  BindGraphFunctions(m);
  BindOperation(m);
  BindDevices(m);
  BindMemoryForecast(m);
  BindCuda(m);
  BindScopes(m);
}

}  // namespace sluice::py
