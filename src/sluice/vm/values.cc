#include "sluice/vm/values.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/graph/effects.h"
#include "sluice/graph/graph.h"
#include "sluice/graph/traverse.h"
#include "sluice/op/signature.h"
#include "sluice/tape/fusion.h"
#include "sluice/vm/program.h"

namespace sluice {

bool FitsCell(DType dtype) {
  return IsPlainData(dtype) &&
         DTypeSize(dtype) <= static_cast<int64_t>(sizeof(VmCell));
}

const Array* VmConstant(const Value& v) {
  static const Array* const kFunction = new Array(Array::Handle({}));
  if (v.node->op().flow == Flow::kFunction) return kFunction;
  return v.node->is_args() ? nullptr : ConstantValue(v);
}

bool IsCellType(const Value& v) {
  return v.shape().rank() == 0 && FitsCell(v.dtype());
}

namespace {

// Whether a list of values matches the types expected elsewhere.
Status Fits(const Node& node, std::string_view what, auto count, auto dtype_of,
            std::span<const Value> want) {
  if (static_cast<size_t>(count) != want.size()) {
    return InvalidArgument(StrCat("[", node.op().name, "] ", what, " are ",
                                  count, "; wanted ", want.size()))
        .WithLine(NodeLine(node));
  }
  for (size_t i = 0; i < want.size(); ++i) {
    if (dtype_of(static_cast<int>(i)) == want[i].dtype()) continue;
    return InvalidArgument(StrCat("[", node.op().name, "] number ", i, " of ",
                                  what, " is ",
                                  DTypeName(dtype_of(static_cast<int>(i))),
                                  "; wanted ", DTypeName(want[i].dtype())))
        .WithLine(NodeLine(node));
  }
  return OkStatus();
}

// Checks counts and types between a node and its regions, or the function it
// calls.
Status CheckSignature(const Node& node) {
  auto outputs = [&](int i) { return node.output_type(i).dtype; };
  auto given = [&](const Region& region, std::span<const Value> values) {
    return Fits(
        node, StrCat("the arguments of \"", region.label(), "\""),
        region.num_args(), [&](int i) { return region.arg(i).dtype(); },
        values);
  };
  auto gives = [&](const Region& region) {
    return Fits(node, StrCat("the outputs for \"", region.label(), "\""),
                node.num_outputs(), outputs, region.results());
  };
  switch (node.op().flow) {
    case Flow::kBranch:
      for (const auto& region : node.regions()) {
        SL_RETURN_IF_ERROR(given(*region, {}));
        SL_RETURN_IF_ERROR(gives(*region));
      }
      return OkStatus();
    case Flow::kLoop: {
      const Region &cond = *node.regions()[0], &body = *node.regions()[1];
      SL_RETURN_IF_ERROR(given(cond, node.inputs()));
      SL_RETURN_IF_ERROR(given(body, node.inputs()));
      SL_RETURN_IF_ERROR(gives(body));
      if (cond.results().size() == 1) return OkStatus();
      return InvalidArgument(StrCat("[", node.op().name, "] cond gives ",
                                    cond.results().size(),
                                    " values; wanted one boolean"))
          .WithLine(NodeLine(node));
    }
    case Flow::kCall: {
      const Node* function = node.input(0).node;
      if (function->op().flow != Flow::kFunction ||
          function->regions().empty()) {
        return InvalidArgument(StrCat("[", node.op().name,
                                      "] f is no function; wanted the output "
                                      "of a Function"))
            .WithLine(NodeLine(node));
      }
      const Region& body = *function->regions()[0];
      SL_RETURN_IF_ERROR(given(body, node.inputs().subspan(1)));
      return gives(body);
    }
    default:
      return OkStatus();
  }
}

}  // namespace

bool VmValues::Code::Inside(const Value& v) const {
  return std::any_of(bodies.begin(), bodies.end(), [&](const Region* body) {
    return body->Encloses(v.node->region());
  });
}

void VmValues::Code::Capture(const Value& v) {
  if (Inside(v) || VmConstant(v)) return;
  if (seen.insert(v).second) captures.push_back(v);
}

Result<VmValues> VmValues::Of(const Node& node) {
  VmValues values;
  Code top;
  for (const Value& v : node.inputs()) {
    if (top.seen.insert(v).second) top.captures.push_back(v);
  }
  for (const auto& region : node.regions()) top.bodies.push_back(region.get());
  SL_RETURN_IF_ERROR(values.VisitNode(node, top));
  values.rows_ = VmRows::Of(node);  // signatures have been checked
  while (!values.pending_.empty()) {
    const Node* function = values.pending_.back();
    values.pending_.pop_back();
    Code code;
    code.bodies = {function->regions()[0].get()};
    SL_RETURN_IF_ERROR(values.Visit(*function->regions()[0], code));
    values.functions_[function] = std::move(code);
  }
  values.PassCapturesOn();
  for (const Node* called : top.calls) {
    for (const Value& v : values.functions_[called].captures) top.Capture(v);
  }
  values.inputs_ = std::move(top.captures);
  return values;
}

Status VmValues::Visit(const Region& region, Code& code) {
  SL_ASSIGN_OR_RETURN(std::vector<Node*> order,
                      TopologicalOrder(region, EffectEdges(region)));
  for (const Node* node : order) {
    for (const Value& v : node->inputs()) code.Capture(v);
    SL_RETURN_IF_ERROR(VisitNode(*node, code));
  }
  for (const Value& v : region.results()) {
    code.Capture(v);
    results_.insert(v);
  }
  orders_[&region] = std::move(order);
  return OkStatus();
}

Status VmValues::VisitNode(const Node& node, Code& code) {
  SL_RETURN_IF_ERROR(CheckSignature(node));
  auto output = [&](int i) { return Value{const_cast<Node*>(&node), i}; };
  random_ = random_ || node.op().random;
  if (node.op().flow == Flow::kFunction) return OkStatus();  // when called
  for (const auto& region : node.regions()) {
    SL_RETURN_IF_ERROR(Visit(*region, code));
  }
  switch (node.op().flow) {
    case Flow::kBranch:
      for (int i = 0; i < node.num_outputs(); ++i) {
        bool all = true;
        for (const auto& region : node.regions()) {
          all = all && scalar(region->results()[static_cast<size_t>(i)]);
        }
        if (all) scalars_.insert(output(i));
      }
      return OkStatus();
    case Flow::kLoop:
      for (int i = 0; i < node.num_outputs(); ++i) {
        if (carried_in_cell(node, static_cast<size_t>(i))) {
          scalars_.insert(output(i));
        }
      }
      return OkStatus();
    case Flow::kCall: {
      const Node* function = node.input(0).node;
      code.calls.push_back(function);
      if (functions_.emplace(function, Code()).second) {
        pending_.push_back(function);
      }
      std::span<const Value> results = function->regions()[0]->results();
      for (int i = 0; i < node.num_outputs(); ++i) {
        if (IsCellType(results[static_cast<size_t>(i)])) {
          scalars_.insert(output(i));
        }
      }
      return OkStatus();
    }
    default:
      break;
  }
  if (computed_in_cell(node) || renames_cell(node)) scalars_.insert(output(0));
  return OkStatus();
}

// A function that calls another must be able to pass on the captures of the
// latter.
void VmValues::PassCapturesOn() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [function, code] : functions_) {
      for (const Node* called : code.calls) {
        size_t before = code.captures.size();
        std::vector<Value> more = functions_[called].captures;
        for (const Value& v : more) code.Capture(v);
        changed = changed || code.captures.size() != before;
      }
    }
  }
}

bool VmValues::scalar(const Value& v) const {
  return IsCellType(v) || scalars_.count(v) > 0;
}

bool VmValues::computed_in_cell(const Node& node) const {
  if (!node.op().block || node.op().shape != shapes::broadcast ||
      node.num_outputs() != 1 || !FitsCell(node.output_type(0).dtype)) {
    return false;
  }
  for (const Value& v : node.inputs()) {
    if (!scalar(v)) return false;
  }
  return SelectBlock(node).fn != nullptr || HasInstruction(node);
}

bool VmValues::asserts_cell(const Node& node) const {
  return node.op().role == Role::kAssert && node.num_inputs() == 1 &&
         scalar(node.input(0));
}

bool VmValues::renames_cell(const Node& node) const {
  return node.op().view && node.num_inputs() == 1 && node.num_outputs() == 1 &&
         scalar(node.input(0)) && node.output_type(0).shape.rank() == 0 &&
         node.output_type(0).dtype == node.input(0).dtype();
}

bool VmValues::carried_in_cell(const Node& loop, size_t i) const {
  auto k = static_cast<int>(i);
  return scalar(loop.input(k)) && IsCellType(loop.regions()[0]->arg(k)) &&
         IsCellType(loop.regions()[1]->arg(k)) &&
         scalar(loop.regions()[1]->results()[i]);
}

}  // namespace sluice
