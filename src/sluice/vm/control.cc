// Jumps: conditionals, loops and calls.
#include <algorithm>

#include "sluice/graph/traverse.h"
#include "sluice/vm/procedure.h"

namespace sluice {

namespace {

Value OutputOf(const Node& node, int i) {
  return {const_cast<Node*>(&node), i};
}

}  // namespace

void VmProcedureCompiler::MoveAll(const std::vector<VmPlace>& to,
                                  std::span<const Value> from) {
  std::vector<std::pair<int32_t, int32_t>> cells;
  std::vector<std::pair<int32_t, VmOperand>> registers;
  for (size_t i = 0; i < to.size(); ++i) {
    if (!to[i].in_cells()) {
      registers.emplace_back(to[i].reg, emit_.Operand(from[i]));
      continue;
    }
    std::vector<int32_t> sources = emit_.Cells(from[i]);
    for (size_t k = 0; k < sources.size(); ++k) {
      cells.emplace_back(to[i].cells[k], sources[k]);
    }
  }
  emit_.MoveCells(std::move(cells));
  emit_.MoveRegisters(std::move(registers));
}

void VmProcedureCompiler::Bind(const Value& v, const VmPlace& place) {
  if (place.in_cells()) {
    emit_.BindCells(v, place.cells);
  } else {
    emit_.BindRegister(v, place.reg);
    emit_.Made(v);
  }
}

bool VmProcedureCompiler::ResultInCell(const Node& branch, int i) const {
  for (const auto& region : branch.regions()) {
    if (!values_.scalar(region->results()[static_cast<size_t>(i)])) {
      return false;
    }
  }
  return true;
}

Status VmProcedureCompiler::EmitBranch(const Node& node) {
  auto choice = static_cast<int32_t>(procedure_.choices.size());
  procedure_.choices.push_back({&node, {}});
  bool cell = values_.scalar(node.input(0));
  bool two = cell && node.input(0).dtype() == DType::kBool;
  int32_t chooser =
      cell ? emit_.Cell(node.input(0)) : emit_.Operand(node.input(0)).index;
  int32_t jump = -1;
  if (two) {
    jump = emit_.EmitUnless(chooser);
  } else {
    emit_.Emit(cell ? Do::kChoose : Do::kChooseArray, 0, chooser, choice);
  }
  std::vector<VmPlace> to;
  for (int i = 0; i < node.num_outputs(); ++i) {
    int elements = values_.rows().size(OutputOf(node, i));
    to.push_back(emit_.NewPlace(ResultInCell(node, i) ? 1 : elements));
  }
  std::vector<int32_t> ends;
  for (size_t r = 0; r < node.regions().size(); ++r) {
    if (two && r == 1) emit_.LeadHere(jump);
    procedure_.choices[static_cast<size_t>(choice)].targets.push_back(
        emit_.pc());
    SL_RETURN_IF_ERROR(CompileRegion(*node.regions()[r]));
    MoveAll(to, node.regions()[r]->results());
    if (r + 1 == node.regions().size()) break;
    ends.push_back(emit_.pc());
    emit_.Emit(Do::kJump);
  }
  for (int32_t end : ends) emit_.LeadHere(end);
  for (int i = 0; i < node.num_outputs(); ++i) {
    Bind(OutputOf(node, i), to[static_cast<size_t>(i)]);
  }
  return OkStatus();
}

Status VmProcedureCompiler::EmitLoop(const Node& node) {
  auto number = static_cast<int32_t>(procedure_.loops.size());
  VmLoop loop;
  loop.node = &node;
  loop.around = emit_.loop;
  loop.counter = emit_.NewCell();
  loop.maximum = node.attrs().get<int64_t>("maximum");
  procedure_.loops.push_back(loop);
  const Region &cond = *node.regions()[0], &body = *node.regions()[1];
  std::vector<VmPlace> carried;
  for (int i = 0; i < node.num_inputs(); ++i) {
    bool cell = values_.carried_in_cell(node, static_cast<size_t>(i));
    int elements = values_.rows().size(body.arg(i));
    carried.push_back(emit_.NewPlace(cell ? 1 : elements));
  }
  auto bind = [&](auto&& value) {
    for (size_t i = 0; i < carried.size(); ++i) {
      Bind(value(static_cast<int>(i)), carried[i]);
    }
  };
  MoveAll(carried, node.inputs());
  if (zero_ < 0) zero_ = emit_.ConstantCell(Array::Scalar<int64_t>(0));
  emit_.Emit(Do::kMoveCell, loop.counter, zero_);

  int32_t outer_tag = emit_.tag, top = emit_.pc(), most = -1;
  emit_.loop = number;
  if (loop.maximum >= 0) {
    most = top;
    emit_.Emit(Do::kAtMost, 0, loop.counter, number);
  }
  if (values_.random()) {
    emit_.tag = emit_.NewCell();
    emit_.Emit(Do::kTag, emit_.tag, outer_tag, number);
  }
  bind([&](int i) { return cond.arg(i); });
  SL_RETURN_IF_ERROR(CompileRegion(cond));
  const Value& pred = cond.results()[0];
  bool pred_in_cell = values_.scalar(pred) && pred.dtype() == DType::kBool;
  int32_t leave;
  if (pred_in_cell) {
    leave = emit_.EmitUnless(emit_.Cell(pred));
  } else {
    int32_t asked = emit_.Operand(pred).index;
    leave = emit_.pc();
    emit_.Emit(Do::kUnlessArray, 0, asked, number);
  }
  bind([&](int i) { return body.arg(i); });
  SL_RETURN_IF_ERROR(CompileBody(body, carried));
  MoveAll(carried, body.results());
  emit_.Emit(Do::kBack, top, loop.counter, number);

  emit_.loop = loop.around;
  emit_.tag = outer_tag;
  emit_.LeadHere(leave);
  if (most >= 0) emit_.LeadHere(most);
  bind([&](int i) { return OutputOf(node, i); });
  return OkStatus();
}

// Compiles a body. Cells of the next iteration are computed directly over those
// of the current one if nobody reads these any more.
Status VmProcedureCompiler::CompileBody(const Region& body,
                                        const std::vector<VmPlace>& carried) {
  std::vector<VmStretch> schedule = ScheduleBytecode(body, values_, fuse_);
  std::unordered_map<Value, size_t, ValueHash> last_read;
  std::unordered_map<const Node*, size_t> made_at;
  for (size_t p = 0; p < schedule.size(); ++p) {
    for (Node* node : schedule[p].nodes) {
      made_at[node] = p;
      for (const Value& v : InputsWithCaptures(*node)) {
        last_read[Renamed(v)] = p;
      }
    }
  }
  std::unordered_map<Value, int, ValueHash> times;
  for (const Value& v : body.results()) ++times[Renamed(v)];
  for (size_t i = 0; i < carried.size(); ++i) {
    const Value& next = body.results()[i];
    Value arg = body.arg(static_cast<int>(i));
    auto made = made_at.find(next.node);
    // An element of a row is the cell of its scalar.
    if (!carried[i].in_cells() || values_.rows().any() || times[next] != 1 ||
        times[arg] != 0 || made == made_at.end() ||
        !values_.computed_in_cell(*next.node)) {
      continue;
    }
    auto read = last_read.find(arg);
    if (read != last_read.end() && read->second > made->second) continue;
    over_[next] = carried[i].cells[0];
  }
  for (const VmStretch& s : schedule) {
    SL_RETURN_IF_ERROR(CompileStretch(s));
  }
  return OkStatus();
}

Value VmProcedureCompiler::Renamed(Value v) const {
  while (!v.node->is_args() && values_.renames_cell(*v.node)) {
    v = v.node->input(0);
  }
  return v;
}

Status VmProcedureCompiler::EmitCall(const Node& node) {
  const Node& function = *node.input(0).node;
  const Region& body = *function.regions()[0];
  VmCall call;
  call.node = &node;
  call.procedure = functions_.NumberOf(function);
  call.tag = emit_.tag;
  std::vector<std::pair<Value, Value>> given;  // theirs, ours
  for (int i = 0; i < body.num_args(); ++i) {
    given.emplace_back(body.arg(i), node.input(i + 1));
  }
  for (const Value& v : values_.captures(function)) given.emplace_back(v, v);
  int32_t cell = kTagCell + 1, reg = 0;
  for (const auto& [theirs, ours] : given) {
    if (IsCellType(theirs)) {
      call.cells.push_back({CellFor(ours), cell++});
    } else {
      call.registers.push_back({emit_.Operand(ours), reg++});
    }
  }
  std::vector<bool> in_cell;
  for (int i = 0; i < node.num_outputs(); ++i) {
    Value v = OutputOf(node, i);
    in_cell.push_back(IsCellType(body.results()[static_cast<size_t>(i)]));
    if (in_cell.back()) {
      int32_t to = emit_.NewCell();
      emit_.BindCell(v, to);
      call.cell_results.push_back(to);
    } else {
      call.register_results.push_back(emit_.Define(v));
    }
  }
  emit_.Emit(Do::kCall, 0, static_cast<int32_t>(procedure_.calls.size()));
  procedure_.calls.push_back(std::move(call));
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!in_cell[static_cast<size_t>(i)]) emit_.Made(OutputOf(node, i));
  }
  return OkStatus();
}

int32_t VmProcedureCompiler::CellFor(const Value& v) {
  if (values_.scalar(v)) return emit_.Cell(v);
  int32_t cell = emit_.NewCell();
  emit_.EmitUnbox(v, cell, emit_.Operand(v).index);
  return cell;
}

}  // namespace sluice
