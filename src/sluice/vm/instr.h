// Instructions of the machine, and the cells they compute on. Plain data, which
// native engines read, too: no more than a graph's node is named here.
#pragma once

#include <cstdint>
#include <cstring>

#include "sluice/op/block.h"
#include "sluice/tensor/dtype.h"
#include "sluice/vm/scalar_codes.h"

namespace sluice {

class Node;

// One element of a type of at most 8 bytes, in the first of them.
struct alignas(8) VmCell {
  unsigned char bytes[8] = {};

  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  template <class T>
  void set(T value) {
    std::memcpy(bytes, &value, sizeof(T));
  }
};

#define SL_CODE(name, ...) k##name,
#define SL_UNLESS(name, type, expression) kUnless##name,
enum class Do : uint8_t {
  kBlock1,                   // cell to = fn(cell a)
  kBlock2,                   // cell to = fn(cell a, cell b)
  kBlock3,                   // cell to = fn(cell a, cell b, cell c)
  SL_VM_ARITHMETIC(SL_CODE)  // cell to = what it says of cells a and b
  SL_VM_COMPARISON(SL_CODE)  // the same
  SL_VM_DIVISION(SL_CODE)    // the same; an error when cell b is 0
  SL_VM_UNARY(SL_CODE)       // cell to = what it says of cell a
  SL_VM_CAST(SL_CODE)        // the same, of another type
  kNot,                      // cell to = not cell a
  kSelect,                   // cell to = cell a ? cell b : cell c
  kWant,                     // an error when cell a is false
  kMoveCell,                 // cell to = cell a
  kBox,                      // register to = an array of cell a
  kUnbox,                    // cell to = the one element of register a
  kBoxRow,                   // register to = an array of rows[a]
  kUnboxRow,                 // the cells of rows[b] = the elements of operand a
  kMove,                     // register to = operand a
  kDrop,                     // register a is empty
  kLaunch,                   // launches[a]
  kTape,                     // tapes[a]
  kJump,                     // go on at to
  kUnless,                   // at to, when cell a is false
  SL_VM_COMPARISON(SL_UNLESS)  // at to, unless it holds, noted in cell c
  kUnlessArray,                // at to, when operand a is false; loop b asks
  kChoose,       // at the target of choices[b] that cell a chooses
  kChooseArray,  // the same, operand a chooses
  kTag,          // cell to = the tag of this iteration of loop b, inside cell a
  kAtMost,       // at to, when loop b has had all its iterations
  kBack,         // the next iteration of loop b begins at to
  kCall,         // calls[a]
  kReturn,
  kNative,  // compiled code from its entry a on (vm/native.h)
};
#undef SL_CODE
#undef SL_UNLESS

struct VmInstr {
  Do code = Do::kReturn;
  DType dtype = DType::kInvalid;  // of the element boxed or unboxed
  bool move = false;              // kMove: nobody reads the operand later
  int32_t loop = -1;              // the innermost loop around
  int32_t to = 0, a = 0, b = 0, c = 0;
  BlockFn fn = nullptr;
  const BlockParams* params = nullptr;
  const Node* node = nullptr;  // of an op on cells or a value unboxed
};

}  // namespace sluice
