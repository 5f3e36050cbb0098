// The primitives of control flow by hand, for graphs that no cond or while_loop
// describes: values are sent one way or the other, enter frames, go round and
// leave them.
//
//   auto i = sl::raw::loop_merge(sl::raw::enter(start, "count"));
//   auto limit = sl::raw::enter(n, "count", {.constant = true});
//   auto p = sl::raw::loop_cond(i.value < limit);
//   auto [done, go] = sl::raw::switch_(i.value, p);
//   sl::raw::set_next(i.value, sl::raw::next_iteration(go + one));
//   auto result = sl::raw::exit(done);
//
// What is used inside a frame must have been brought there, constants too; all
// operands of an op come from one iteration of one frame. What a Switch does
// not send is dead, and so is all that is computed from it, up to a Merge.
//
// Only in a graph or in a function being recorded: they throw sluice::Error
// when nothing is. Thread safe.
#pragma once

#include <source_location>
#include <string>

#include "sluice/eager/operand.h"
#include "sluice/eager/tensor.h"

namespace sluice::raw {

using Where = std::source_location;

struct Switched {
  Tensor when_false, when_true;
};
Switched switch_(const Operand& data, const Operand& pred,
                 Where where = Where::current());

struct Merged {
  Tensor value;
  Tensor index;  // which input it was, i32
};
// The first input that is alive.
Merged merge(const OperandList& inputs, Where where = Where::current());
// For a variable of a loop: what enters, and in later iterations what set_next
// says. The value's shape is unknown, for it may change.
Merged loop_merge(const Operand& entered, Where where = Where::current());
// `next` comes from next_iteration, `merged` from loop_merge.
void set_next(const Tensor& merged, const Tensor& next,
              Where where = Where::current());

struct EnterOptions {
  bool constant = false;  // the same in all iterations
  int64_t parallel_iterations = 10;
};
// Into the frame of that name, which all entrances of a loop share.
Tensor enter(const Operand& x, const std::string& frame,
             const EnterOptions& options = {}, Where where = Where::current());
Tensor exit(const Tensor& x, Where where = Where::current());
Tensor next_iteration(const Tensor& x, Where where = Where::current());
// The predicate of a frame; there is one in each.
Tensor loop_cond(const Tensor& pred, Where where = Where::current());
// Waits for the operations of the open ControlScope, dead or not, and is
// itself never dead.
Operation control_trigger(Where where = Where::current());

}  // namespace sluice::raw
