// A program of the machine: conditionals, loops and calls as jumps over one
// list of instructions per procedure. A value is kept in a register, which
// holds an Array, or, when it is a single element, in a cell: the bytes
// themselves. Registers are emptied by their last reader, so what dies may be
// written over.
//
// Made by compiler, made economical by liveness, run by
// machine. Immutable from then on.
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

// What an instruction reads: a register, or ~i for constant i. Taken when
// nobody reads it later.
struct VmOperand {
  int32_t index = 0;
  bool move = false;
};

// One node's kernel.
struct VmLaunch {
  enum class Kind : uint8_t { kElementwise, kKernel, kWait };
  Kind kind = Kind::kKernel;
  KernelCall call;
  std::vector<VmOperand> in;
  std::vector<int32_t> out;
  bool once = false;        // a handle: the same whenever it is asked for
  bool broadcasts = false;  // elementwise: operands fit each other
  int32_t tag = 0;          // the cell with the tag around it
  std::string why;          // why it is on no tape
};

// A stretch of nodes compiled together.
struct VmTape {
  std::unique_ptr<Tape> tape;
  std::vector<VmOperand> in;
  std::vector<int32_t> out;
  int32_t tag = 0;
};

// Where a branch goes, region by region.
struct VmChoice {
  const Node* node = nullptr;
  std::vector<int32_t> targets;
};

// Cells that are the elements of an array, in its order.
struct VmRow {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::vector<int32_t> cells;
};

struct VmLoop {
  const Node* node = nullptr;
  int32_t around = -1;   // the loop around it in the same procedure
  int32_t counter = -1;  // the cell that counts its iterations
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
  std::vector<Cells> cells;          // ours to the callee's
  std::vector<Registers> registers;  // the same
  // Where its results go, in the order of its results of that kind.
  std::vector<int32_t> cell_results, register_results;
  int32_t tag = 0;
};

// The whole node, or the body of one function. What a function reads from
// around it is passed to it like its arguments.
struct VmProcedure {
  std::string name;
  int32_t number = 0;  // among those of its program
  std::vector<VmInstr> code;
  std::vector<VmCell> cells;  // as a run starts: constants are in place
  std::vector<bool> sticky;   // by register: keeps its array to reuse it
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

// The cell every procedure finds the tag around it in.
inline constexpr int32_t kTagCell = 0;

struct VmProgram {
  std::vector<std::unique_ptr<VmProcedure>> procedures;  // 0: the node
  std::vector<Array> constants;
  // Numbers of block functions, at addresses that stay.
  std::vector<std::unique_ptr<BlockParams>> params;
  size_t max_operands = 0;  // of one launch, inputs and outputs together
};

}  // namespace sluice
