// VmEmitter: writes one procedure. It assigns registers and cells to values,
// boxes and unboxes values that are needed in the other form, and performs
// parallel moves. The caller decides what is emitted and in which order.
//
// Lives while a procedure is compiled; used by one thread.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/vm/program.h"
#include "sluice/vm/values.h"

namespace sluice {

// The location of a value.
struct VmPlace {
  std::vector<int32_t> cells;  // of its elements; empty: it is in the register
  int32_t reg = -1;
  bool in_cells() const { return reg < 0; }
};

class VmEmitter {
 public:
  // Borrows all arguments.
  VmEmitter(VmProgram& program, VmProcedure& procedure, const VmValues& values);

  VmProcedure& procedure() { return procedure_; }

  int32_t NewRegister();
  int32_t NewCell();

  // `cells` new cells, or a register if it is 0.
  VmPlace NewPlace(int cells);

  // Makes these cells the location of the value from here on.
  void BindCells(const Value& v, std::vector<int32_t> cells);
  void BindCell(const Value& v, int32_t cell) { cells_[v] = cell; }
  void BindRegister(const Value& v, int32_t reg) { registers_[v] = reg; }
  // A register that the next instruction writes. Call Made() after that
  // instruction; it also copies a single element into a cell.
  int32_t Define(const Value& v);
  void Made(const Value& v);

  // The operand for this value in the next instruction.
  VmOperand Operand(const Value& v);
  int32_t Cell(const Value& v);
  // The cells of all elements of a scalar or a row.
  std::vector<int32_t> Cells(const Value& v);

  int32_t pc() const { return static_cast<int32_t>(procedure_.code.size()); }
  VmInstr& Emit(Do code, int32_t to = 0, int32_t a = 0, int32_t b = 0);
  // Emits the node on these cells, one for each input.
  void EmitBlock(const Node& node, int32_t to, std::span<const int32_t> in);
  // Copies the value from the register to the cell.
  void EmitUnbox(const Value& v, int32_t cell, int32_t reg);
  // Emits a jump that is taken if the cell is false; its target is set later.
  // If the preceding comparison fills the cell, both become one instruction.
  int32_t EmitUnless(int32_t cell);
  // Sets the target of the jump at `at` to the current position.
  void LeadHere(int32_t at) {
    procedure_.code[static_cast<size_t>(at)].to = pc();
  }
  // A parallel move: every source is read before any target is written.
  void MoveCells(std::vector<std::pair<int32_t, int32_t>> to_from);
  void MoveRegisters(std::vector<std::pair<int32_t, VmOperand>> to_from);

  // A cell that holds this constant in every run.
  int32_t ConstantCell(const Array& value);

  int32_t loop = -1;       // the innermost loop around the current position
  int32_t tag = kTagCell;  // the cell of its tag

 private:
  int32_t Constant(const Value& v, const Array& value);
  // New cells of the value's type.
  int32_t NewRow(const Value& v);

  VmProgram& program_;
  VmProcedure& procedure_;
  const VmValues& values_;
  std::unordered_map<Value, int32_t, ValueHash> registers_, cells_, boxes_;
  std::unordered_map<Value, int32_t, ValueHash> constants_, constant_cells_;
  std::unordered_map<Value, std::vector<int32_t>, ValueHash> rows_;
};

}  // namespace sluice
