// Instructions of the machine and the cells they compute on. Plain data that
// native engines read, too; therefore a graph node is the only reference to the
// graph.
#pragma once

#include <cstdint>
#include <cstring>

#include "sluice/op/block.h"
#include "sluice/tensor/dtype.h"
#include "sluice/vm/scalar_codes.h"

namespace sluice {

class Node;

// One element of at most 8 bytes, stored in the first bytes.
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
  SL_VM_ARITHMETIC(SL_CODE)  // cell to = the operation on cells a and b
  SL_VM_COMPARISON(SL_CODE)  // the same
  SL_VM_DIVISION(SL_CODE)    // the same; an error when cell b is 0
  SL_VM_UNARY(SL_CODE)       // cell to = the operation on cell a
  SL_VM_CAST(SL_CODE)        // the same, of another type
  kNot,                      // cell to = not cell a
  kSelect,                   // cell to = cell a ? cell b : cell c
  kWant,                     // an error if cell a is false
  kMoveCell,                 // cell to = cell a
  kBox,                      // register to = an array with cell a
  kUnbox,                    // cell to = the one element of register a
  kBoxRow,                   // register to = an array of rows[a]
  kUnboxRow,                 // the cells of rows[b] = the elements of operand a
  kMove,                     // register to = operand a
  kDrop,                     // empties register a
  kLaunch,                   // launches[a]
  kTape,                     // tapes[a]
  kJump,                     // jump to `to`
  kUnless,                   // jump to `to` if cell a is false
  SL_VM_COMPARISON(SL_UNLESS)  // jump to `to` unless it holds; result in cell c
  kUnlessArray,  // jump to `to` if operand a is false; loop b asks
  kChoose,       // jump to the target of choices[b] chosen by cell a
  kChooseArray,  // the same, chosen by operand a
  kTag,          // cell to = tag of this iteration of loop b, nested in cell a
  kAtMost,       // jump to `to` if loop b has had all its iterations
  kBack,         // jump to `to` for the next iteration of loop b
  kCall,         // calls[a]
  kReturn,
  kNative,  // compiled code, from entry a (vm/native.h)
};
#undef SL_CODE
#undef SL_UNLESS

struct VmInstr {
  Do code = Do::kReturn;
  DType dtype = DType::kInvalid;  // of the boxed or unboxed element
  bool move = false;              // kMove: the operand is not read again
  int32_t loop = -1;              // the innermost enclosing loop
  int32_t to = 0, a = 0, b = 0, c = 0;
  BlockFn fn = nullptr;
  const BlockParams* params = nullptr;
  const Node* node = nullptr;  // of an op on cells or an unboxed value
};

}  // namespace sluice
