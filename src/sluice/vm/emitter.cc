#include "sluice/vm/emitter.h"

#include <algorithm>

#include "sluice/tape/fusion.h"

namespace sluice {

VmEmitter::VmEmitter(VmProgram& program, VmProcedure& procedure,
                     const VmValues& values)
    : program_(program), procedure_(procedure), values_(values) {
  NewCell();  // kTagCell
}

int32_t VmEmitter::NewRegister() {
  procedure_.sticky.push_back(false);
  return static_cast<int32_t>(procedure_.sticky.size()) - 1;
}

int32_t VmEmitter::NewCell() {
  procedure_.cells.emplace_back();
  return static_cast<int32_t>(procedure_.cells.size()) - 1;
}

VmInstr& VmEmitter::Emit(Do code, int32_t to, int32_t a, int32_t b) {
  VmInstr instr;
  instr.code = code;
  instr.loop = loop;
  instr.to = to;
  instr.a = a;
  instr.b = b;
  procedure_.code.push_back(instr);
  return procedure_.code.back();
}

void VmEmitter::EmitBlock(const Node& node, int32_t to,
                          std::span<const int32_t> cells) {
  int32_t in[kMaxBlockInputs] = {};
  std::copy(cells.begin(), cells.end(), in);
  BytecodeScalar scalar = ScalarFor(node);
  if (scalar.swap) std::swap(in[0], in[1]);
  VmInstr& instr = Emit(scalar.code, to, in[0], in[1]);
  instr.c = in[2];
  instr.node = &node;
  if (scalar.code > Do::kBlock3) return;
  BlockKernel block = SelectBlock(node);
  program_.params.push_back(std::make_unique<BlockParams>(block.params));
  instr.fn = block.fn;
  instr.params = program_.params.back().get();
}

int32_t VmEmitter::EmitUnless(int32_t cell) {
  if (pc() > 0) {
    VmInstr& last = procedure_.code.back();
    if (IsComparison(last.code) && last.to == cell && last.loop == loop) {
      last.code = JumpUnless(last.code);
      last.c = cell;
      return pc() - 1;
    }
  }
  Emit(Do::kUnless, 0, cell);
  return pc() - 1;
}

int32_t VmEmitter::Define(const Value& v) {
  int32_t reg = NewRegister();
  BindRegister(v, reg);
  return reg;
}

VmPlace VmEmitter::NewPlace(int cells) {
  VmPlace place;
  if (cells == 0) place.reg = NewRegister();
  for (int i = 0; i < cells; ++i) place.cells.push_back(NewCell());
  return place;
}

void VmEmitter::BindCells(const Value& v, std::vector<int32_t> cells) {
  if (values_.rows().size(v) > 0) {
    rows_[v] = std::move(cells);
  } else {
    BindCell(v, cells[0]);
  }
}

int32_t VmEmitter::NewRow(const Value& v) {
  procedure_.rows.push_back({v.dtype(), values_.rows().shape(v), Cells(v)});
  return static_cast<int32_t>(procedure_.rows.size()) - 1;
}

void VmEmitter::Made(const Value& v) {
  if (int n = values_.rows().size(v)) {
    int32_t reg = registers_.at(v);
    BindCells(v, NewPlace(n).cells);
    int32_t row = NewRow(v);
    VmInstr& instr = Emit(Do::kUnboxRow, 0, reg, row);
    instr.node = v.node->is_args() ? v.node->region()->owner() : v.node;
    return;
  }
  if (!values_.scalar(v)) return;
  int32_t cell = NewCell();
  BindCell(v, cell);
  EmitUnbox(v, cell, registers_.at(v));
}

void VmEmitter::EmitUnbox(const Value& v, int32_t cell, int32_t reg) {
  VmInstr& instr = Emit(Do::kUnbox, cell, reg);
  instr.dtype = v.dtype();
  instr.node = v.node->is_args() ? v.node->region()->owner() : v.node;
}

int32_t VmEmitter::Constant(const Value& v, const Array& value) {
  auto [it, fresh] =
      constants_.emplace(v, static_cast<int32_t>(program_.constants.size()));
  if (fresh) program_.constants.push_back(value);
  return it->second;
}

VmOperand VmEmitter::Operand(const Value& v) {
  if (const Array* constant = VmConstant(v)) {
    return {~Constant(v, *constant), false};
  }
  auto it = registers_.find(v);
  if (it != registers_.end()) return {it->second, false};
  auto [box, fresh] = boxes_.emplace(v, -1);
  if (fresh) {
    box->second = NewRegister();
    procedure_.sticky.back() = true;
  }
  int32_t reg = box->second;
  if (values_.rows().size(v) > 0) {
    int32_t row = NewRow(v);
    Emit(Do::kBoxRow, reg, row);
  } else {
    Emit(Do::kBox, reg, Cell(v)).dtype = v.dtype();
  }
  return {reg, false};
}

int32_t VmEmitter::ConstantCell(const Array& value) {
  int32_t cell = NewCell();
  std::memcpy(procedure_.cells.back().bytes, value.raw(),
              static_cast<size_t>(value.bytes()));
  return cell;
}

int32_t VmEmitter::Cell(const Value& v) {
  if (const Array* constant = VmConstant(v)) {
    auto it = constant_cells_.find(v);
    if (it != constant_cells_.end()) return it->second;
    return constant_cells_[v] = ConstantCell(*constant);
  }
  auto it = cells_.find(v);
  SL_CHECK(it != cells_.end());
  return it->second;
}

std::vector<int32_t> VmEmitter::Cells(const Value& v) {
  if (values_.rows().size(v) == 0) return {Cell(v)};
  auto it = rows_.find(v);
  if (it != rows_.end()) return it->second;
  const Array* constant = VmConstant(v);
  SL_CHECK(constant);
  Result<Array> dense = constant->AsContiguous();
  SL_CHECK(dense.ok());
  std::vector<int32_t>& cells = rows_[v];
  int64_t size = DTypeSize(v.dtype());
  for (int64_t k = 0; k < dense->num_elements(); ++k) {
    cells.push_back(NewCell());
    std::memcpy(procedure_.cells.back().bytes,
                static_cast<const char*>(dense->raw()) + k * size,
                static_cast<size_t>(size));
  }
  return cells;
}

void VmEmitter::MoveCells(std::vector<std::pair<int32_t, int32_t>> moves) {
  std::erase_if(moves, [](const auto& m) { return m.first == m.second; });
  while (!moves.empty()) {
    auto safe = std::find_if(moves.begin(), moves.end(), [&](const auto& m) {
      return std::none_of(moves.begin(), moves.end(), [&](const auto& other) {
        return other.second == m.first;
      });
    });
    if (safe != moves.end()) {
      Emit(Do::kMoveCell, safe->first, safe->second);
      moves.erase(safe);
      continue;
    }
    // A cycle: one value moves to a temporary cell.
    int32_t aside = NewCell();
    int32_t from = moves.front().second;
    Emit(Do::kMoveCell, aside, from);
    for (auto& m : moves) {
      if (m.second == from) m.second = aside;
    }
  }
}

void VmEmitter::MoveRegisters(
    std::vector<std::pair<int32_t, VmOperand>> moves) {
  std::erase_if(moves, [](const auto& m) { return m.first == m.second.index; });
  while (!moves.empty()) {
    auto safe = std::find_if(moves.begin(), moves.end(), [&](const auto& m) {
      return std::none_of(moves.begin(), moves.end(), [&](const auto& other) {
        return other.second.index == m.first;
      });
    });
    if (safe != moves.end()) {
      Emit(Do::kMove, safe->first, safe->second.index);
      moves.erase(safe);
      continue;
    }
    int32_t aside = NewRegister();
    int32_t from = moves.front().second.index;
    Emit(Do::kMove, aside, from);
    for (auto& m : moves) {
      if (m.second.index == from) m.second.index = aside;
    }
  }
}

}  // namespace sluice
