// VmEmitter: writes one procedure: gives values registers and cells, boxes
// and unboxes where a value is wanted in the other form, and moves several
// values at once. What is emitted, and in which order, its user decides.
//
// Lives while a procedure is compiled; one thread.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/vm/program.h"
#include "sluice/vm/values.h"

namespace sluice {

// Where a value is kept.
struct VmPlace {
  std::vector<int32_t> cells;  // of its elements; none: in the register
  int32_t reg = -1;
  bool in_cells() const { return reg < 0; }
};

class VmEmitter {
 public:
  // Borrows all three.
  VmEmitter(VmProgram& program, VmProcedure& procedure, const VmValues& values);

  VmProcedure& procedure() { return procedure_; }

  int32_t NewRegister();
  int32_t NewCell();

  // So many cells, or a register when there are none.
  VmPlace NewPlace(int cells);

  // The value lies there from here on.
  void BindCells(const Value& v, std::vector<int32_t> cells);
  void BindCell(const Value& v, int32_t cell) { cells_[v] = cell; }
  void BindRegister(const Value& v, int32_t reg) { registers_[v] = reg; }
  // A register about to be written by the next instruction; call Made() after
  // it, which also puts a single element into a cell.
  int32_t Define(const Value& v);
  void Made(const Value& v);

  // The value for an instruction about to be emitted.
  VmOperand Operand(const Value& v);
  int32_t Cell(const Value& v);
  // Of every element of a scalar or a row.
  std::vector<int32_t> Cells(const Value& v);

  int32_t pc() const { return static_cast<int32_t>(procedure_.code.size()); }
  VmInstr& Emit(Do code, int32_t to = 0, int32_t a = 0, int32_t b = 0);
  // The node on these cells, one for each input.
  void EmitBlock(const Node& node, int32_t to, std::span<const int32_t> in);
  // The value, which is in the register, into the cell.
  void EmitUnbox(const Value& v, int32_t cell, int32_t reg);
  // A jump to be led somewhere, taken when the cell is false; the comparison
  // just emitted that fills the cell becomes one with it.
  int32_t EmitUnless(int32_t cell);
  // Later: the jump at `at` leads here.
  void LeadHere(int32_t at) {
    procedure_.code[static_cast<size_t>(at)].to = pc();
  }
  // All at once: every source is read before any target is written.
  void MoveCells(std::vector<std::pair<int32_t, int32_t>> to_from);
  void MoveRegisters(std::vector<std::pair<int32_t, VmOperand>> to_from);

  // A cell that holds this number in every run.
  int32_t ConstantCell(const Array& value);

  int32_t loop = -1;       // the innermost loop around what is emitted
  int32_t tag = kTagCell;  // the cell of the tag there

 private:
  int32_t Constant(const Value& v, const Array& value);
  // The value's cells, with its type.
  int32_t NewRow(const Value& v);

  VmProgram& program_;
  VmProcedure& procedure_;
  const VmValues& values_;
  std::unordered_map<Value, int32_t, ValueHash> registers_, cells_, boxes_;
  std::unordered_map<Value, int32_t, ValueHash> constants_, constant_cells_;
  std::unordered_map<Value, std::vector<int32_t>, ValueHash> rows_;
};

}  // namespace sluice
