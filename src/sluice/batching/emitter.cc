#include "sluice/batching/emitter.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/graph/device_near.h"
#include "sluice/op/registry.h"

namespace sluice {

Emitter::Values OutputsOf(Node& node) {
  Emitter::Values outputs;
  for (int i = 0; i < node.num_outputs(); ++i) {
    outputs.push_back(node.output(i));
  }
  return outputs;
}

void Emitter::Fail(Status status) {
  if (ok()) state_->status = std::move(status);
}

Node* Emitter::Add(std::string_view op, std::span<const Value> inputs,
                   const Attrs& attrs) {
  if (!ok()) return nullptr;
  NodeOptions options;
  options.line = state_->line;
  if (const Node* source = state_->source) {
    options.scope = source->scope();
    options.device = source->device();
    options.line = source->line();
  } else if (!inputs.empty()) {
    options.device = DeviceNear(inputs[0]);
  }
  if (options.device.empty()) options.device = state_->device;
  // A node added to an outer region, where others may read it too, does not
  // wait for nodes in here. Constants wait for nothing.
  const OpRecord* record = FindOp(op);
  bool constant = record && record->role == Role::kConst;
  for (Node* before : state_->controls) {
    if (!constant && before->region()->Encloses(region_)) {
      options.controls.push_back(before);
    }
  }
  Result<Node*> node = graph().Add(*region_, op, inputs, attrs, options);
  if (node.ok()) return *node;
  Fail(node.status());
  return nullptr;
}

Value Emitter::Call(std::string_view op, const Values& inputs,
                    const Attrs& attrs) {
  Node* node = Add(op, inputs, attrs);
  return node ? node->output() : Value();
}

Value Emitter::Call(std::string_view op, std::initializer_list<Value> inputs,
                    const Attrs& attrs) {
  return Call(op, Values(inputs), attrs);
}

Value Emitter::Const(Array value) {
  return Call("Const", {}, {{"value", std::move(value)}});
}

Value Emitter::Ints(const std::vector<int64_t>& values) {
  return Const(Array::Vector(std::span<const int64_t>(values)));
}

Value Emitter::Int(int64_t value) { return Const(Array::Scalar(value)); }

Value Emitter::Join(const Values& parts) {
  if (!ok()) return {};
  std::vector<int64_t> all;
  bool constant = true;
  for (const Value& part : parts) {
    const Array* known = ConstantValue(part);
    if (!known || known->dtype() != DType::kI64) {
      constant = false;
      break;
    }
    all.insert(all.end(), known->data<int64_t>(),
               known->data<int64_t>() + known->num_elements());
  }
  if (constant) return Ints(all);
  return parts.size() == 1 ? parts[0] : Call("Concat", parts);
}

Value Emitter::Times(Value a, Value b) {
  if (!ok()) return {};
  const Array *x = ConstantValue(a), *y = ConstantValue(b);
  if (x && y) return Ints({x->data<int64_t>()[0] * y->data<int64_t>()[0]});
  return Call("Mul", {a, b});
}

Value Emitter::Sizes(Value x, int from_axis, int count) {
  if (!ok()) return {};
  const PartialShape& shape = x.shape();
  if (shape.rank_known()) {
    int first = std::min(from_axis, shape.rank());
    int last = std::min(from_axis + count, shape.rank());
    std::vector<int64_t> sizes(shape.dims().begin() + first,
                               shape.dims().begin() + last);
    if (std::all_of(sizes.begin(), sizes.end(),
                    [](int64_t d) { return d >= 0; })) {
      return Ints(sizes);
    }
  }
  Value all = Call("Shape", {x});
  if (from_axis == 0 && count == kMaxRank) return all;
  return Call("StridedSlice", {all},
              {{"begin", std::vector<int64_t>{from_axis}},
               {"end", std::vector<int64_t>{from_axis + count}},
               {"strides", std::vector<int64_t>{1}}});
}

Value Emitter::Rows(Value x) { return Sizes(x, 0, 1); }

Value Emitter::Reshape(Value x, Value shape) {
  return Call("Reshape", {x, shape});
}

Value Emitter::Expand(Value x, int axis, int times) {
  for (; times > 0; --times) x = Call("ExpandDims", {x}, {{"axis", axis}});
  return x;
}

Value Emitter::Transpose(Value x, const std::vector<int64_t>& perm) {
  if (std::is_sorted(perm.begin(), perm.end())) return x;
  return Call("Transpose", {x}, {{"perm", perm}});
}

Value Emitter::MoveAxis(Value x, int rank, int from, int to) {
  return Transpose(x, AxisMoved(rank, from, to));
}

Value Emitter::Gather(Value x, Value rows) { return Call("Gather", {x, rows}); }

Value Emitter::PickLanes(Value x, Value rows) {
  if (!ok()) return {};
  if (x.dtype() != DType::kList) return Gather(x, rows);
  return Call("ListSelect", {x, rows});
}

Value Emitter::JoinLanes(Value x, Value more) {
  if (!ok()) return {};
  if (x.dtype() != DType::kList) return Call("Concat", {x, more});
  return Call("ListExtend", {x, more});
}

Value Emitter::NoLists() {
  return Call("ListNew", {Int(0)},
              {{"dtype", DType::kList}, {"shape", PartialShape::Scalar()}});
}

Value Emitter::Where(Value mask) {
  return Reshape(Call("NonZero", {mask}), Ints({-1}));
}

Value Emitter::Count(Value vector) { return Call("Size", {vector}); }

Value Emitter::IsEmpty(Value vector) {
  return Call("Equal", {Count(vector), Int(0)});
}

Value Emitter::ScalarOf(Value vector_of_one) {
  return Reshape(vector_of_one, Ints({}));
}

Value Emitter::NoRows(DType dtype, const PartialShape& shape) {
  if (dtype == DType::kList) return NoLists();
  std::vector<int64_t> sizes{0};
  for (int64_t size : shape.dims()) sizes.push_back(std::max<int64_t>(size, 0));
  Result<Shape> made = Shape::Make(sizes);
  if (!made.ok()) Fail(made.status());
  if (!ok()) return {};
  return Const(Array::Zeros(dtype, *made));
}

Node* Emitter::Open(std::string_view op, std::span<const Value> inputs,
                    const Attrs& attrs) {
  Node* node = Add(op, inputs, attrs);
  if (node) state_->open.push_back(node);
  return node;
}

// Moves it after everything that its regions read.
void Emitter::Close(Node& node) {
  state_->open.pop_back();
  graph().MoveToEnd(node);
}

Node* Emitter::OpenBranch(std::string_view op, Value chooser,
                          const Attrs& attrs) {
  Attrs all = attrs;
  all.set("dtypes", std::vector<DType>());
  return Open(op, Values{chooser}, all);
}

Emitter Emitter::NextRegion(Node& branch) {
  Result<Region*> region = graph().AddRegion(
      branch, branch.op().RegionLabel(branch.regions().size()));
  if (region.ok()) return Emitter(*state_, **region);
  Fail(region.status());
  return *this;
}

Emitter::Values Emitter::CloseBranch(Node& branch,
                                     const std::vector<Values>& results) {
  if (!ok()) return {};
  std::vector<ValueType> types;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < results[0].size(); ++i) {
    ValueType type = results[0][i].type();
    for (const Values& other : results) {
      type.shape = JoinShapes(type.shape, other[i].shape());
    }
    dtypes.push_back(type.dtype);
    types.push_back(std::move(type));
  }
  for (size_t k = 0; k < results.size(); ++k) {
    graph().SetResults(*branch.regions()[k], results[k]);
  }
  graph().SetAttr(branch, "dtypes", dtypes);
  graph().SetOutputs(branch, std::move(types));
  Close(branch);
  return OutputsOf(branch);
}

Emitter::Values Emitter::If(Value pred, const Code& then,
                            const Code& otherwise) {
  Node* node = OpenBranch("If", pred);
  if (!node) return {};
  std::vector<Values> results;
  for (const Code* code : {&then, &otherwise}) {
    Emitter inside = NextRegion(*node);
    if (ok()) results.push_back((*code)(inside));
  }
  return CloseBranch(*node, results);
}

Emitter::Values Emitter::While(const Values& inits,
                               const std::vector<PartialShape>& shapes,
                               const LoopCode& cond, const LoopCode& body,
                               Attrs attrs) {
  if (!ok()) return {};
  std::vector<DType> dtypes;
  std::vector<ValueType> types;
  for (size_t i = 0; i < inits.size(); ++i) {
    dtypes.push_back(inits[i].dtype());
    types.push_back({inits[i].dtype(), shapes[i]});
  }
  attrs.set("dtypes", dtypes);
  Node* node = Open("While", inits, attrs);
  if (!node) return {};
  for (const LoopCode* code : {&cond, &body}) {
    Result<Region*> region =
        graph().AddRegion(*node, code == &cond ? "cond" : "body");
    if (!region.ok()) Fail(region.status());
    Values args;
    for (size_t i = 0; ok() && i < types.size(); ++i) {
      Result<Value> arg = graph().AddArg(**region, StrCat("v", i), types[i]);
      if (!arg.ok()) Fail(arg.status());
      if (ok()) args.push_back(*arg);
    }
    if (!ok()) return {};
    Emitter inside(*state_, **region);
    Values results = (*code)(inside, args);
    if (!ok()) return {};
    graph().SetResults(**region, std::move(results));
  }
  graph().SetOutputs(*node, std::move(types));
  Close(*node);
  return OutputsOf(*node);
}

void Emitter::Refine(Value value, const PartialShape& shape) {
  if (!ok() || !value || value.node->is_args()) return;
  Result<PartialShape> merged = MergeShapes(value.shape(), shape);
  if (merged.ok()) {
    graph().SetOutputShape(*value.node, value.index, *merged);
  }
}

}  // namespace sluice
