// NativeSource: the input of a native engine: the instructions on cells, the
// type of each cell, and the entry points. Made by MakeNativeSource. It does
// not refer to the graph, so an engine may read it after the graph is gone.
// Immutable once made; any thread may read it.
//
// The machine executes everything an engine does not: compiled code runs from
// an entry to the first such instruction and returns its index. All cells that
// may still be read are in memory then, as if the machine had arrived there
// itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/vm/instr.h"

namespace sluice {

enum class CellType : uint8_t {
  kBits,  // a type that only block functions know
  kI32,
  kI64,
  kF32,
  kF64,
  kBool,
};

struct NativeInstr {
  Do code = Do::kReturn;
  bool native = false;                  // else the machine executes it
  int32_t to = 0, a = 0, b = 0, c = 0;  // as in VmInstr
  int32_t counter = 0;                  // kTag: the counter cell of the loop
  CellType type = CellType::kBits;      // kChoose: of cell a
  BlockFn fn = nullptr;
  const BlockParams* params = nullptr;
  uint64_t key = 0;              // kTag: of the loop
  int64_t maximum = -1;          // kAtMost: of the loop
  std::vector<int32_t> targets;  // jump targets of choices
  // The cells it reads, also for instructions of the machine. Errors name their
  // iterations, so an instruction that may fail also reads the enclosing loop
  // counters.
  std::vector<int32_t> reads;
};

// A start of compiled code. Each entry is a separate function, so that each
// loop has one way in.
struct NativeEntry {
  int32_t at = 0;
  // The instructions it executes, by index, in order, including `at`. It
  // returns to the machine at all others.
  std::vector<int32_t> does;
};

struct NativeProcedure {
  std::vector<NativeInstr> code;
  std::vector<CellType> cells;
  std::vector<NativeEntry> entries;
};

struct NativeSource {
  std::vector<NativeProcedure> procedures;           // as in the program
  std::vector<std::unique_ptr<BlockParams>> params;  // stable addresses
  int num_native = 0;  // instructions reachable from some entry
  int num_instructions = 0;
  int num_entries = 0;
  bool empty() const { return num_entries == 0; }
  // Equal for sources that compile to the same code.
  std::string Key() const;
};

// Checks that compiled code makes while it runs.
struct NativeChecks {
  // Whether the step was cancelled. Checked at some of the back edges.
  bool (*stopped)(const void* asked) = nullptr;
  const void* asked = nullptr;
};

// Runs from one entry. Returns the instruction i at which the machine
// continues, or ~i for a compiled instruction that fails; the machine then
// words the error.
using NativeFn = int32_t (*)(VmCell* cells, const NativeChecks* checks);

template <class T>
inline constexpr CellType kCellTypeOf = CellType::kBits;
template <>
inline constexpr CellType kCellTypeOf<uint32_t> = CellType::kI32;
template <>
inline constexpr CellType kCellTypeOf<int32_t> = CellType::kI32;
template <>
inline constexpr CellType kCellTypeOf<uint64_t> = CellType::kI64;
template <>
inline constexpr CellType kCellTypeOf<int64_t> = CellType::kI64;
template <>
inline constexpr CellType kCellTypeOf<float> = CellType::kF32;
template <>
inline constexpr CellType kCellTypeOf<double> = CellType::kF64;
template <>
inline constexpr CellType kCellTypeOf<bool> = CellType::kBool;

// The type of the cells read by arithmetic, casts and comparisons; else kBits.
inline CellType OperandType(Do code) {
  switch (code) {
#define SL_TYPE(name, type, expression) \
  case Do::k##name:                     \
    return kCellTypeOf<type>;
#define SL_UNLESS_TYPE(name, type, expression) \
  case Do::kUnless##name:                      \
    return kCellTypeOf<type>;
    SL_VM_ARITHMETIC(SL_TYPE)
    SL_VM_COMPARISON(SL_TYPE)
    SL_VM_DIVISION(SL_TYPE)
    SL_VM_UNARY(SL_TYPE)
    SL_VM_CAST(SL_TYPE)
    SL_VM_COMPARISON(SL_UNLESS_TYPE)
#undef SL_TYPE
#undef SL_UNLESS_TYPE
    default:
      return CellType::kBits;
  }
}

inline bool IsDivision(Do code) {
  return code >= Do::kDivI32 && code < Do::kNegI32;
}
inline bool IsUnary(Do code) {  // also conversions
  return code >= Do::kNegI32 && code < Do::kNot;
}
inline bool IsUnlessComparison(Do code) {
  return code >= Do::kUnlessLessI32 && code <= Do::kUnlessNotEqualF64;
}

// The type of the cell written by arithmetic, casts and comparisons.
inline CellType ResultType(Do code) {
  switch (code) {
#define SL_TYPE(name, from, type) \
  case Do::k##name:               \
    return kCellTypeOf<type>;
    SL_VM_CAST(SL_TYPE)
#undef SL_TYPE
    default:
      break;
  }
  bool compares = (code >= Do::kLessI32 && code <= Do::kNotEqualF64) ||
                  IsUnlessComparison(code);
  return compares ? CellType::kBool : OperandType(code);
}

// The successors of instruction `at`.
inline std::vector<int32_t> NativeNext(const NativeInstr& i, int32_t at) {
  switch (i.code) {
    case Do::kJump:
    case Do::kBack:
      return {i.to};
    case Do::kChoose:
    case Do::kChooseArray:
      return i.targets;
    case Do::kUnless:
    case Do::kUnlessArray:
    case Do::kAtMost:
      return {at + 1, i.to};
    case Do::kReturn:
      return {};
    default:
      if (IsUnlessComparison(i.code)) return {at + 1, i.to};
      return {at + 1};
  }
}

// The cell a native instruction writes; -1 for none.
inline int32_t NativeWrites(const NativeInstr& i) {
  if (!i.native) return -1;
  switch (i.code) {
    case Do::kJump:
    case Do::kChoose:
    case Do::kUnless:
    case Do::kWant:
    case Do::kAtMost:
      return -1;
    case Do::kBack:
      return i.a;
    default:
      return IsUnlessComparison(i.code) ? i.c : i.to;
  }
}

}  // namespace sluice
