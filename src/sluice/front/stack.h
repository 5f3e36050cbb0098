// Stack: values of one step, the last one pushed is popped first.
//
//   sl::Stack stack(sl::f32);
//   auto x1 = stack.push(x);        // x, once it has been pushed
//   auto last = stack.pop();
//
// State of one step: in a graph every run begins with an empty stack, and
// whatever is left at its end, or when it fails, goes with it. Pushes and pops
// happen in the order of the program; in a graph that runs only what is asked
// for, ask for the pushes, too. Imperatively it lives as long as its handles.
//
// A handle, copied freely. Errors throw sluice::Error.
#pragma once

#include <source_location>
#include <string>

#include "sluice/eager/operand.h"
#include "sluice/eager/sizes.h"

namespace sluice {

struct StackOptions {
  int64_t max_size = -1;    // the most it holds; -1: no bound
  PartialSizes shape = {};  // what is known of every value's shape
  std::string label{};      // for messages; two of one label are two
};

class Stack {
 public:
  using Where = std::source_location;

  explicit Stack(DType dtype, const StackOptions& options = {},
                 Where where = Where::current());

  Tensor push(const Operand& x, Where where = Where::current()) const;
  Tensor pop(Where where = Where::current()) const;
  // Drops what it holds; later pushes and pops fail.
  Operation close(Where where = Where::current()) const;

  DType dtype() const { return dtype_; }
  const Tensor& handle() const { return handle_; }

 private:
  Tensor handle_;
  DType dtype_;
  PartialShape shape_;
};

}  // namespace sluice
