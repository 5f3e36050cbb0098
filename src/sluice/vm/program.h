// A program of the machine: conditionals, loops and calls as jumps in one list
// of instructions per procedure. A value is in a register, which holds an
// Array, or, if it is a single element, in a cell, which holds the bytes. The
// last reader empties a register, so the memory of dead values can be reused.
//
// Built by compiler, optimized by liveness, run by machine. Immutable once
// built; any thread may run it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/graph/node.h"
#include "sluice/launch/kernel_call.h"
#include "sluice/op/block.h"
#include "sluice/tape/tape.h"
#include "sluice/vm/instr.h"
#include "sluice/vm/scalar.h"

namespace sluice {

// An operand of an instruction: a register, or ~i for constant i. Moved from if
// it is not read again.
struct VmOperand {
  int32_t index = 0;
  bool move = false;
};

// The kernel of one node.
struct VmLaunch {
  enum class Kind : uint8_t { kElementwise, kKernel, kWait };
  Kind kind = Kind::kKernel;
  KernelCall call;
  std::vector<VmOperand> in;
  std::vector<int32_t> out;
  bool once = false;        // a handle: the same in every launch
  bool broadcasts = false;  // elementwise: operands broadcast
  int32_t tag = 0;          // the cell with the enclosing tag
  std::string why;          // why it is not on a tape
};

// A sequence of nodes compiled together.
struct VmTape {
  std::unique_ptr<Tape> tape;
  std::vector<VmOperand> in;
  std::vector<int32_t> out;
  int32_t tag = 0;
};

// The jump targets of a branch, by region.
struct VmChoice {
  const Node* node = nullptr;
  std::vector<int32_t> targets;
};

// The cells of the elements of an array, in order.
struct VmRow {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::vector<int32_t> cells;
};

struct VmLoop {
  const Node* node = nullptr;
  int32_t around = -1;   // the enclosing loop in the same procedure
  int32_t counter = -1;  // the cell that counts iterations
  int64_t maximum = -1;
};

struct VmCall {
  struct Cells {
    int32_t from, to;
  };
  struct Registers {
    VmOperand from;
    int32_t to;
  };
  const Node* node = nullptr;
  int32_t procedure = -1;
  std::vector<Cells> cells;          // caller's -> callee's
  std::vector<Registers> registers;  // the same
  // The places of its results, in order, by kind.
  std::vector<int32_t> cell_results, register_results;
  int32_t tag = 0;
};

// The whole node, or the body of one function. A function receives the outer
// values it reads like arguments.
struct VmProcedure {
  std::string name;
  int32_t number = 0;  // index in the program
  std::vector<VmInstr> code;
  std::vector<VmCell> cells;  // initial values: constants are in place
  std::vector<bool> sticky;   // by register: keeps its array for reuse
  std::vector<VmRow> rows;
  std::vector<VmLoop> loops;
  std::vector<VmLaunch> launches;
  std::vector<VmTape> tapes;
  std::vector<VmChoice> choices;
  std::vector<VmCall> calls;
  std::vector<int32_t> cell_results;
  std::vector<VmOperand> register_results;
  size_t num_registers() const { return sticky.size(); }
};

// The cell of the enclosing tag in every procedure.
inline constexpr int32_t kTagCell = 0;

struct VmProgram {
  std::vector<std::unique_ptr<VmProcedure>> procedures;  // 0: the node itself
  std::vector<Array> constants;
  // Parameters of block functions, at stable addresses.
  std::vector<std::unique_ptr<BlockParams>> params;
  size_t max_operands = 0;  // maximum of inputs plus outputs of a launch
};

}  // namespace sluice
