#include "sluice/front/variable.h"

#include "sluice/base/strings.h"
#include "sluice/front/resource.h"
#include "sluice/front/scope.h"
#include "sluice/graph/graph.h"

namespace sluice {

using front_internal::AddNode;

namespace {

// Nodes that belong to a variable are found by name, so that they are also
// found in a graph that was printed and parsed.
constexpr std::string_view kInitialize = "/initialize";

Status At(Status status, std::source_location where) {
  return status.WithLine(StrCat("at ", SourceLine::From(where)));
}

// The name within the open scope of a node that belongs to `handle`.
std::string NameBelow(const Node& handle, std::string_view suffix) {
  std::string_view name = handle.name();
  if (!handle.scope().empty()) name.remove_prefix(handle.scope().size() + 1);
  return StrCat(name, suffix);
}

}  // namespace

Operand::Operand(const Variable& variable, Where where)
    : Operand(variable.read(where), where) {}

inline namespace front {

Tensor Variable::Read(SourceLine line, std::string_view name) const {
  Attrs attrs{{"dtype", dtype_}, {"shape", shape_}};
  Operand operand(handle_);
  return AddNode({.op = "ReadVariable",
                  .inputs = {&operand, 1},
                  .attrs = &attrs,
                  .name = name,
                  .line = line,
                  .graph = &handle_.graph(),
                  .without_controls = !name.empty()})
      .output();
}

Tensor Variable::read(Where where) const {
  return Read(SourceLine::From(where), {});
}

// A conversion has no line of its own; that of the variable is the next best.
Variable::operator Tensor() const {
  return Read(handle_.operation().node().line(), {});
}

Operation Variable::Change(std::string_view op, const Operand& value,
                           std::string_view name, Where where) const {
  Operand operands[] = {handle_, front_internal::Typed(op, value, dtype_)};
  const Operand& given = operands[1];
  DType dtype = given.is_tensor() ? given.tensor().dtype() : dtype_;
  PartialShape shape =
      given.is_tensor() ? given.tensor().shape()
                        : PartialShape(given.literal_value().value().shape());
  if (dtype != dtype_ || !shape.CompatibleWith(shape_)) {
    throw Error(At(
        InvalidArgument(StrCat("[", op, "] value is ", TypeText(dtype, shape),
                               "; wanted ", TypeText(dtype_, shape_),
                               " as variable \"", this->name(), "\"")),
        where));
  }
  static const Attrs kNone;
  return AddNode({.op = op,
                  .inputs = operands,
                  .attrs = &kNone,
                  .name = name,
                  .line = SourceLine::From(where),
                  .graph = &handle_.graph()});
}

Operation Variable::assign(const Operand& value, std::string_view name,
                           Where where) const {
  return Change("Assign", value, name, where);
}

Operation Variable::assign_add(const Operand& value, std::string_view name,
                               Where where) const {
  return Change("AssignAdd", value, name, where);
}

Operation Variable::assign_sub(const Operand& value, std::string_view name,
                               Where where) const {
  return Change("AssignSub", value, name, where);
}

Tensor Variable::is_initialized(Where where) const {
  Operand operand(handle_);
  return front_internal::CallOne("IsInitialized", {&operand, 1}, {}, {}, where);
}

Operation Variable::initializer() const {
  Graph& graph = handle_.graph();
  MutexLock lock(graph.mu());
  Node* node = graph.FindNode(StrCat(name(), kInitialize));
  if (!node) {
    throw Error(FailedPrecondition(
        StrCat("variable \"", name(), "\" was made without an initial value")));
  }
  return Operation(graph, *node);
}

Variable MakeVariable(const Tensor& handle, DType dtype,
                      const PartialShape& shape) {
  Variable v;
  v.handle_ = handle;
  v.dtype_ = dtype;
  v.shape_ = shape;
  const Operation made = handle.operation();
  const Node& node = made.node();
  v.value_ = v.Read(node.line(), NameBelow(node, "/value"));
  return v;
}

}  // namespace front

Variable variable(DType dtype, const PartialSizes& shape, std::string_view name,
                  const VariableOptions& options, std::source_location where) {
  Tensor handle = front_internal::MakeHandle(
      "Variable", {{"dtype", dtype}, {"shape", shape.shape()}},
      {std::string(name), options.container, options.shared_name}, where);
  return MakeVariable(handle, dtype, shape.shape());
}

Variable variable(const Operand& initial, std::string_view name,
                  const VariableOptions& options, std::source_location where) {
  Tensor value = initial.is_tensor() ? initial.tensor() : [&] {
    Attrs attrs{{"value", initial.literal_value().value()}};
    return front_internal::CallOne("Const", {}, attrs, {}, where);
  }();
  Variable v = variable(value.dtype(), value.shape(), name, options, where);
  Operand operands[] = {v.handle(), value};
  const Attrs none;
  std::string own = NameBelow(v.handle().operation().node(), kInitialize);
  AddNode({.op = "Assign",
           .inputs = operands,
           .attrs = &none,
           .name = own,
           .line = SourceLine::From(where)});
  return v;
}

Operation initialize_variables(Graph& graph, std::source_location where) {
  std::vector<Operation> initializers;
  {
    MutexLock lock(graph.mu());
    for (Node* node : graph.root().nodes()) {
      if (node->op().name != "Variable") continue;
      Node* init = graph.FindNode(StrCat(node->name(), kInitialize));
      if (init) initializers.emplace_back(graph, *init);
    }
  }
  GraphScope building(graph);
  ControlScope after(initializers);
  const Attrs none;
  return AddNode({.op = "NoOp",
                  .attrs = &none,
                  .hint = "initialize_variables",
                  .line = SourceLine::From(where)});
}

}  // namespace sluice
