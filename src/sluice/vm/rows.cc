#include "sluice/vm/rows.h"

#include <algorithm>
#include <span>
#include <utility>

#include "sluice/graph/graph.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/run_op.h"
#include "sluice/op/shape_context.h"
#include "sluice/tensor/strided.h"
#include "sluice/vm/native_source.h"
#include "sluice/vm/scalar.h"
#include "sluice/vm/values.h"

namespace sluice {

namespace {

// The machine needs about as long for this many elements, one after the other,
// as for one op on a row.
constexpr int64_t kMaxElements = 8;
constexpr size_t kMaxInstructions = 1000;

bool IsRowType(const Value& v) {
  if (!v.shape().fully_known() || v.shape().rank() == 0) return false;
  int64_t n = v.shape().ToShape().num_elements();
  return n > 0 && n <= kMaxElements && FitsCell(v.dtype());
}

// Ops that pass on elements of their inputs: views and concatenations.
bool MovesElements(const OpRecord& op) {
  return op.view || op.role == Role::kConcat ||
         op.batch == batch_rules::new_axis;
}

Value OutputOf(const Node& node, int i = 0) {
  return {const_cast<Node*>(&node), i};
}

}  // namespace

// Runs the op itself on the indices of the elements.
bool VmRows::FindMoves(const Node& node, How& how) const {
  std::vector<Array> in;
  std::vector<Element> numbered;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value& v = node.input(i);
    if (node.op().view && i > 0) {  // a size, an axis
      const Array* constant = VmConstant(v);
      if (!constant) return false;
      in.push_back(*constant);
      continue;
    }
    if (!IsRowOrCell(v)) return false;
    Result<Array> numbers = Array::Make(DType::kI32, shape(v));
    if (!numbers.ok()) return false;
    for (int k = 0; k < static_cast<int>(numbers->num_elements()); ++k) {
      numbers->mutable_data<int32_t>()[k] =
          static_cast<int32_t>(numbered.size());
      numbered.push_back({i, k});
    }
    in.push_back(*std::move(numbers));
  }
  Result<std::vector<Array>> out = RunOp(node.op(), node.attrs(), in);
  if (!out.ok() || out->size() != 1) return false;
  Result<Array> moved = (*out)[0].AsContiguous();
  if (!moved.ok() || moved->dtype() != DType::kI32 ||
      !(moved->shape() == node.output_type(0).shape.ToShape())) {
    return false;
  }
  how.moves = true;
  for (int64_t k = 0; k < moved->num_elements(); ++k) {
    how.from.push_back(
        {numbered[static_cast<size_t>(moved->data<int32_t>()[k])]});
  }
  return true;
}

// Element k of the output is computed from the elements that broadcasting
// selects.
bool VmRows::FindOperands(const Node& node, How& how) const {
  // Division errors show the dividend, that is, the entire row.
  if (node.op().shape != shapes::broadcast || !HasInstruction(node) ||
      IsDivision(ScalarFor(node).code)) {
    return false;
  }
  Shape shape = node.output_type(0).shape.ToShape();
  how.from.resize(static_cast<size_t>(shape.num_elements()));
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Value& v = node.input(i);
    if (!IsRowOrCell(v)) return false;
    Shape of = this->shape(v);
    Strides strides = BroadcastStrides(of, ContiguousStrides(of), shape);
    for (size_t k = 0; k < how.from.size(); ++k) {
      auto rest = static_cast<int64_t>(k), at = int64_t{0};
      for (int d = shape.rank(); d-- > 0; rest /= shape.dim(d)) {
        at += rest % shape.dim(d) * strides[static_cast<size_t>(d)];
      }
      how.from[k].push_back({i, static_cast<int>(at)});
    }
  }
  return true;
}

VmRows VmRows::Of(const Node& node) {
  VmRows rows;
  bool all = node.op().flow == Flow::kLoop && rows.Visit(node);
  if (!all || rows.instructions_ > kMaxInstructions) return {};
  return rows;
}

int VmRows::size(const Value& v) const {
  if (!any() || !IsRow(v)) return 0;
  return static_cast<int>(shape(v).num_elements());
}

Shape VmRows::shape(const Value& v) const {
  auto it = shapes_.find(v);
  return it != shapes_.end() ? it->second : v.shape().ToShape();
}

bool VmRows::IsRow(const Value& v) const {
  return IsRowType(v) || shapes_.count(v) > 0;
}

bool VmRows::IsRowOrCell(const Value& v) const {
  return IsRow(v) || IsCellType(v);
}

bool VmRows::Agree(std::span<const Value> values, const Value& result) {
  auto is_row = [&](const Value& v) { return IsRow(v); };
  if (std::none_of(values.begin(), values.end(), is_row)) {
    return !IsRowType(result);
  }
  if (!std::all_of(values.begin(), values.end(), [&](const Value& v) {
        return IsRow(v) && shape(v) == shape(values[0]) &&
               v.dtype() == values[0].dtype();
      })) {
    return false;
  }
  if (IsRowType(result)) return shape(result) == shape(values[0]);
  shapes_[result] = shape(values[0]);
  return true;
}

bool VmRows::Visit(const Region& region) {
  auto nodes = region.nodes();
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const Node* node) { return Visit(*node); });
}

bool VmRows::Visit(const Node& node) {
  if (node.op().flow == Flow::kFunction || node.op().flow == Flow::kCall) {
    return false;
  }
  for (const auto& region : node.regions()) {
    if (!Visit(*region)) return false;
  }
  if (node.op().flow == Flow::kBranch) {
    if (IsRow(node.input(0))) return false;
    for (int i = 0; i < node.num_outputs(); ++i) {
      std::vector<Value> ways;
      for (const auto& region : node.regions()) {
        ways.push_back(region->results()[static_cast<size_t>(i)]);
      }
      if (!Agree(ways, OutputOf(node, i))) return false;
    }
    return true;
  }
  if (node.op().flow == Flow::kLoop) {
    const Region &cond = *node.regions()[0], &body = *node.regions()[1];
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Value carried[] = {node.input(i), cond.arg(i), body.arg(i),
                               body.results()[static_cast<size_t>(i)]};
      if (!Agree(carried, OutputOf(node, i))) return false;
    }
    return true;
  }
  if (node.num_outputs() == 1 && VmConstant(OutputOf(node))) return true;
  std::vector<Value> all(node.inputs().begin(), node.inputs().end());
  for (int i = 0; i < node.num_outputs(); ++i) all.push_back(OutputOf(node, i));
  bool touches = std::any_of(all.begin(), all.end(),
                             [&](const Value& v) { return IsRow(v); });
  return !touches || FindHow(node);
}

bool VmRows::FindHow(const Node& node) {
  const OpRecord& op = node.op();
  if (op.stateful || op.async() || op.random || !op.global_effect.empty() ||
      op.effect != Effect::kNone || node.num_inputs() == 0 ||
      node.num_outputs() != 1 || !IsRowOrCell(OutputOf(node))) {
    return false;
  }
  How how;
  bool found =
      MovesElements(op) ? FindMoves(node, how) : FindOperands(node, how);
  if (!found) return false;
  if (!how.moves) instructions_ += how.from.size();
  hows_[&node] = std::move(how);
  return true;
}

}  // namespace sluice
