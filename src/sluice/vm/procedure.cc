#include "sluice/vm/procedure.h"

#include <algorithm>
#include <unordered_set>

#include "sluice/base/strings.h"
#include "sluice/launch/launch.h"
#include "sluice/tape/fusion.h"
#include "sluice/tape/tape_builder.h"

namespace sluice {

namespace {

Value OutputOf(const Node& node, int i) {
  return {const_cast<Node*>(&node), i};
}

}  // namespace

Status VmProcedureCompiler::CompileNode(const Node& node) {
  procedure_.name = StrCat(node.op().name, " \"", node.name(), "\"");
  for (const Value& v : values_.inputs()) emit_.Define(v);
  for (const Value& v : values_.inputs()) emit_.Made(v);
  SL_RETURN_IF_ERROR(CompileAlone(node, ""));
  for (int i = 0; i < node.num_outputs(); ++i) {
    procedure_.register_results.push_back(emit_.Operand(OutputOf(node, i)));
  }
  emit_.Emit(Do::kReturn);
  return OkStatus();
}

Status VmProcedureCompiler::CompileFunction(const Node& function) {
  const Region& body = *function.regions()[0];
  procedure_.name = StrCat("function \"", function.name(), "\"");
  std::vector<Value> given;
  for (int i = 0; i < body.num_args(); ++i) given.push_back(body.arg(i));
  const std::vector<Value>& captures = values_.captures(function);
  given.insert(given.end(), captures.begin(), captures.end());
  // The same numbering as in EmitCall: cells from 1, registers from 0.
  for (const Value& v : given) {
    if (IsCellType(v)) emit_.BindCell(v, emit_.NewCell());
  }
  for (const Value& v : given) {
    if (!IsCellType(v)) emit_.Define(v);
  }
  for (const Value& v : given) {
    if (!IsCellType(v)) emit_.Made(v);
  }
  SL_RETURN_IF_ERROR(CompileRegion(body));
  for (const Value& v : body.results()) {
    if (IsCellType(v)) {
      procedure_.cell_results.push_back(emit_.Cell(v));
    } else {
      procedure_.register_results.push_back(emit_.Operand(v));
    }
  }
  emit_.Emit(Do::kReturn);
  return OkStatus();
}

Status VmProcedureCompiler::CompileRegion(const Region& region) {
  for (const VmStretch& s : ScheduleBytecode(region, values_, fuse_)) {
    SL_RETURN_IF_ERROR(CompileStretch(s));
  }
  return OkStatus();
}

Status VmProcedureCompiler::CompileStretch(const VmStretch& stretch) {
  if (stretch.why.empty()) return EmitTape(stretch.nodes);
  return CompileAlone(*stretch.nodes[0], stretch.why);
}

Status VmProcedureCompiler::CompileAlone(const Node& node,
                                         const std::string& why) {
  switch (node.op().flow) {
    case Flow::kBranch:
      return EmitBranch(node);
    case Flow::kLoop:
      return EmitLoop(node);
    case Flow::kCall:
      return EmitCall(node);
    default:
      break;
  }
  if (const VmRows::How* how = values_.rows().how(node)) {
    EmitOnRows(node, *how);
  } else if (values_.renames_cell(node)) {
    emit_.BindCell(OutputOf(node, 0), emit_.Cell(node.input(0)));
  } else if (values_.computed_in_cell(node)) {
    Value v = OutputOf(node, 0);
    auto over = over_.find(v);
    int32_t cell = over != over_.end() ? over->second : emit_.NewCell();
    std::vector<int32_t> in;
    for (const Value& operand : node.inputs())
      in.push_back(emit_.Cell(operand));
    emit_.EmitBlock(node, cell, in);
    emit_.BindCell(v, cell);
  } else if (values_.asserts_cell(node)) {
    emit_.Emit(Do::kWant, 0, emit_.Cell(node.input(0))).node = &node;
  } else {
    EmitLaunch(node, why);
  }
  return OkStatus();
}

void VmProcedureCompiler::EmitOnRows(const Node& node, const VmRows::How& how) {
  auto cell = [&](const VmRows::Element& e) {
    return emit_.Cells(node.input(e.input))[static_cast<size_t>(e.element)];
  };
  std::vector<int32_t> out;
  for (const std::vector<VmRows::Element>& from : how.from) {
    if (how.moves) {
      out.push_back(cell(from[0]));
      continue;
    }
    std::vector<int32_t> in;
    for (const VmRows::Element& e : from) in.push_back(cell(e));
    out.push_back(emit_.NewCell());
    emit_.EmitBlock(node, out.back(), in);
  }
  emit_.BindCells(OutputOf(node, 0), std::move(out));
}

void VmProcedureCompiler::EmitLaunch(const Node& node, const std::string& why) {
  VmLaunch launch;
  launch.tag = emit_.tag;
  launch.why = why;
  launch.call.node = &node;
  launch.call.info = {node.name(), node.line(), node.key()};
  for (const Value& v : node.inputs()) launch.in.push_back(emit_.Operand(v));
  for (int i = 0; i < node.num_outputs(); ++i) {
    launch.call.out_dtypes.push_back(node.output_type(i).dtype);
    launch.out.push_back(emit_.Define(OutputOf(node, i)));
  }
  if (node.op().handle && node.num_inputs() == 0 && node.num_outputs() == 1) {
    launch.once = true;
    procedure_.sticky[static_cast<size_t>(launch.out[0])] = true;
  }
  launch.call.block = SelectBlock(node);
  if (node.op().async() || node.op().flow != Flow::kNone) {
    launch.kind = VmLaunch::Kind::kWait;
  } else if (launch.call.block.fn) {
    launch.kind = VmLaunch::Kind::kElementwise;
    launch.broadcasts = node.op().shape == shapes::broadcast;
  } else {
    launch.call.shapes = KernelShapes(node);
  }
  emit_.Emit(Do::kLaunch, 0, static_cast<int32_t>(procedure_.launches.size()));
  procedure_.launches.push_back(std::move(launch));
  for (int i = 0; i < node.num_outputs(); ++i) emit_.Made(OutputOf(node, i));
}

Status VmProcedureCompiler::EmitTape(const std::vector<Node*>& nodes) {
  std::unordered_set<const Node*> inside(nodes.begin(), nodes.end());
  auto read_outside = [&](const Value& v) {
    if (values_.is_result(v)) return true;
    for (Node* user : v.node->users()) {
      if (inside.count(user)) continue;
      auto in = user->inputs();
      if (std::find(in.begin(), in.end(), v) != in.end()) return true;
    }
    return false;
  };
  std::vector<Value> outputs;
  for (Node* node : nodes) {
    for (int i = 0; i < node->num_outputs(); ++i) {
      if (read_outside(node->output(i))) outputs.push_back(node->output(i));
    }
  }
  if (outputs.empty()) {
    for (Node* node : nodes) EmitLaunch(*node, "nobody reads it");
    return OkStatus();
  }
  VmTape part;
  part.tag = emit_.tag;
  SL_ASSIGN_OR_RETURN(part.tape, BuildTape(nodes, outputs, TapeOptions()));
  for (const Value& v : part.tape->inputs()) {
    part.in.push_back(emit_.Operand(v));
  }
  for (const Value& v : outputs) part.out.push_back(emit_.Define(v));
  emit_.Emit(Do::kTape, 0, static_cast<int32_t>(procedure_.tapes.size()));
  procedure_.tapes.push_back(std::move(part));
  for (const Value& v : outputs) emit_.Made(v);
  return OkStatus();
}

}  // namespace sluice
