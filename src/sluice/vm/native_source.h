// NativeSource: what a native engine reads of a program: the instructions on
// cells, each cell's type, and where the machine may enter. Made by
// MakeNativeSource; names no graph, so an engine may read it after the graph is
// gone. Immutable once made; plain data, no threads.
//
// Everything an engine does not do itself stays the machine's: compiled code
// runs from an entry to the first such instruction, and says which it is. Cells
// that are still read are in memory then, as if the machine had come there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/vm/instr.h"

namespace sluice {

enum class CellType : uint8_t {
  kBits,  // of a type that only block functions know
  kI32,
  kI64,
  kF32,
  kF64,
  kBool,
};

struct NativeInstr {
  Do code = Do::kReturn;
  bool native = false;                  // else it is the machine's
  int32_t to = 0, a = 0, b = 0, c = 0;  // as in VmInstr
  int32_t counter = 0;                  // kTag: the loop's cell
  CellType type = CellType::kBits;      // kChoose: of cell a
  BlockFn fn = nullptr;
  const BlockParams* params = nullptr;
  uint64_t key = 0;              // kTag: of the loop
  int64_t maximum = -1;          // kAtMost: of the loop
  std::vector<int32_t> targets;  // of those that choose
  // Cells it reads, of the machine's instructions, too. Errors say in which
  // iterations they are, so what may end in one reads the counters around it.
  std::vector<int32_t> reads;
};

// Where compiled code may begin: a function each, so that a loop has one way
// in.
struct NativeEntry {
  int32_t at = 0;
  // What it does, by place, in order; `at` is among them. From all others it
  // goes back to the machine.
  std::vector<int32_t> does;
};

struct NativeProcedure {
  std::vector<NativeInstr> code;
  std::vector<CellType> cells;
  std::vector<NativeEntry> entries;
};

struct NativeSource {
  std::vector<NativeProcedure> procedures;           // as in the program
  std::vector<std::unique_ptr<BlockParams>> params;  // at addresses that stay
  int num_native = 0;  // instructions that some entry leads to
  int num_instructions = 0;
  int num_entries = 0;
  bool empty() const { return num_entries == 0; }
  // The same for sources that compile to the same code.
  std::string Key() const;
};

// What compiled code asks while it runs.
struct NativeChecks {
  // Whether the step was cancelled. Asked at back edges, not at every one.
  bool (*stopped)(const void* asked) = nullptr;
  const void* asked = nullptr;
};

// From one entry on. Returns the instruction at which the machine goes on: i,
// or ~i for one that is compiled and ends in an error now, which is the
// machine's to find the words for.
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

// Of the cells that arithmetic, casts and comparisons read; kBits for all else.
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
inline bool IsUnary(Do code) {  // a conversion, too
  return code >= Do::kNegI32 && code < Do::kNot;
}
inline bool IsUnlessComparison(Do code) {
  return code >= Do::kUnlessLessI32 && code <= Do::kUnlessNotEqualF64;
}

// Of the cell that arithmetic, casts and comparisons write.
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

// Where it goes on after instruction `at`.
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

// The cell it writes, if it is native; -1 for none.
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
