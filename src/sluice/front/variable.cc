#include "sluice/front/variable.h"

#include "sluice/base/strings.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/eager/scope.h"
#include "sluice/front/imperative_variable.h"
#include "sluice/front/resource.h"
#include "sluice/front/variable_placer.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/node.h"
#include "sluice/trace/capture.h"

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

Variable::Variable(const Tensor& imperative)
    : value_(imperative),
      dtype_(imperative.array().dtype()),
      shape_(imperative.array().shape()) {}

std::string Variable::name() const {
  return symbolic() ? handle_.operation().name() : value_.name();
}

const Tensor& Variable::tensor() const {
  if (!symbolic() && value_.defined()) return value_;
  throw Error(FailedPrecondition(
      symbolic() ? StrCat("variable \"", name(),
                          "\" is part of a graph; wanted an imperative one")
                 : "this Variable holds nothing"));
}

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
  return symbolic() ? Read(SourceLine::From(where), {}) : tensor();
}

// A conversion has no line of its own; that of the variable is the next best.
Variable::operator Tensor() const {
  return symbolic() ? Read(handle_.operation().node().line(), {}) : tensor();
}

void Variable::CheckFits(std::string_view op, const Operand& given,
                         Where where) const {
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
}

Operation Variable::Change(std::string_view op, const Operand& value,
                           std::string_view name, Where where) const {
  Operand operands[] = {handle_, front_internal::Typed(op, value, dtype_)};
  CheckFits(op, operands[1], where);
  if (!symbolic()) {
    // As in a graph: gradients do not pass through a change.
    NoGrad off;
    const Tensor& own = tensor();
    if (op == "Assign") own.copy_(operands[1], where);
    if (op == "AssignAdd") own.add_(operands[1], where);
    if (op == "AssignSub") own.sub_(operands[1], where);
    return {};
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

namespace {

// As in a graph, one row may stand for all indices; elsewhere ops want a row
// for each.
Operand RowForEach(const Tensor& own, const Operand& indices,
                   const Operand& values, std::source_location where) {
  if (!indices.is_tensor() || !values.is_tensor()) return values;
  const Tensor &at = indices.tensor(), &row = values.tensor();
  if (!at.shape().fully_known() || at.rank() != 1 ||
      !row.shape().rank_known() || row.rank() != own.rank() - 1) {
    return values;
  }
  Operand only = front_internal::CallOne("ExpandDims", {&values, 1},
                                         {{"axis", 0}}, {}, where);
  if (at.dim(0) == 1) return only;
  if (!row.shape().fully_known()) return values;
  Shape shape = row.shape().ToShape();
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  dims.insert(dims.begin(), at.dim(0));
  Operand operands[] = {only, Array::Vector(dims)};
  return front_internal::CallOne("BroadcastTo", operands, {}, {}, where);
}

}  // namespace

Operation Variable::ChangeRows(std::string_view op, const Operand& indices,
                               const Operand& values, Where where) const {
  if (!symbolic()) {
    NoGrad off;
    const Tensor& own = tensor();
    Operand rows = RowForEach(own, indices, values, where);
    if (op == "ScatterAdd") own.scatter_add_(indices, rows, where);
    if (op == "ScatterSub") own.scatter_sub_(indices, rows, where);
    if (op == "ScatterUpdate") own.scatter_update_(indices, rows, where);
    return {};
  }
  Operand operands[] = {front_internal::Typed(op, indices, DType::kI64),
                        front_internal::Typed(op, values, dtype_)};
  return front_internal::UseHandle(op, handle_, operands, {}, where);
}

Operation Variable::scatter_add(const Operand& indices, const Operand& values,
                                Where where) const {
  return ChangeRows("ScatterAdd", indices, values, where);
}

Operation Variable::scatter_sub(const Operand& indices, const Operand& values,
                                Where where) const {
  return ChangeRows("ScatterSub", indices, values, where);
}

Operation Variable::scatter_update(const Operand& indices,
                                   const Operand& values, Where where) const {
  return ChangeRows("ScatterUpdate", indices, values, where);
}

Tensor Variable::is_initialized(Where where) const {
  if (!symbolic()) {
    return Tensor(MakeRef<EagerValue>(Array::Scalar(true)));
  }
  Operand operand(handle_);
  return front_internal::CallOne("IsInitialized", {&operand, 1}, {}, {}, where);
}

Operation Variable::initializer() const {
  if (!symbolic()) {
    throw Error(FailedPrecondition(
        StrCat("variable \"", name(),
               "\" is imperative: it had its value from the start")));
  }
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

namespace {

// Whether a variable made here is part of a graph.
bool InGraph(const Operand* initial) {
  Graph* graph = front_internal::Building::Current().graph;
  if (initial && initial->is_tensor() && initial->tensor().symbolic()) {
    graph = &initial->tensor().graph();
  }
  Capture* capture = Capture::Current();
  return graph && !(capture && &capture->graph() == graph);
}

void CheckFromOutside(const Operand& initial, std::string_view name,
                      const std::source_location& where) {
  if (!initial.is_tensor() || !initial.tensor().symbolic()) return;
  const Tensor& value = initial.tensor();
  Region* region = value.value().node->region();
  if (region == &value.graph().root()) return;
  throw Error(
      At(InvalidArgument(StrCat(
             "the initial value of variable \"", name, "\" is \"", value.name(),
             "\", which is computed inside a loop or branch; wanted a "
             "number, an array or a value from outside of it")),
         where));
}

}  // namespace

Variable variable(DType dtype, const PartialSizes& shape, std::string_view name,
                  const VariableOptions& options, std::source_location where) {
  if (!InGraph(nullptr)) {
    throw Error(At(FailedPrecondition(
                       StrCat("variable \"", name,
                              "\" has no initial value; wanted one, or an open "
                              "graph to make it in")),
                   where));
  }
  PlacedVariable placed(name, dtype, shape.shape());
  Tensor handle = front_internal::MakeHandle(
      "Variable", {{"dtype", dtype}, {"shape", shape.shape()}},
      {std::string(name), options.container, options.shared_name}, where);
  return MakeVariable(handle, dtype, shape.shape());
}

Variable variable(const Operand& initial, std::string_view name,
                  const VariableOptions& options, std::source_location where) {
  if (!InGraph(&initial)) {
    return front_internal::ImperativeVariable(initial, name, where);
  }
  // State outlives the iteration or branch that asks for it: it begins outside,
  // before the loop, and not anew in each.
  front_internal::SavedBuilding saved;
  front_internal::Building::Current().region = nullptr;
  front_internal::Building::Current().controls.clear();
  CheckFromOutside(initial, name, where);
  PlacedVariable placed =
      initial.is_tensor()
          ? PlacedVariable(name, initial.tensor().dtype(),
                           initial.tensor().shape())
          : PlacedVariable(name, initial.literal_value().value().dtype(),
                           initial.literal_value().value().shape());
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
      if (node->op().role != Role::kVariable) continue;
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
