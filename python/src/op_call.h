// One call of an op with operands of any Python kind: types are brought
// together as users of numpy and PyTorch expect, then the op runs or becomes a
// node, as in C++.
//
// Operands that share a type in the op's record are converted to one they
// promote to (dtype.h); numbers and lists written in the program take the type
// of the tensors beside them. Integers become f32 where an op takes only
// floats.
#pragma once

#include <span>

#include "common.h"
#include "operand.h"
#include "sluice/base/small_vector.h"
#include "sluice/op/record.h"

namespace sluice::py {

// What a call gives: tensors, or the node when it has no outputs (which holds
// nothing when the call ran at once).
struct CallResult {
  SmallVector<Tensor, 2> tensors;
  Operation operation;
};

CallResult CallOp(const OpRecord& op, std::span<Given> inputs,
                  const Attrs& attrs, std::string_view name = {});

// The op of that name. REQUIRES: there is one.
const OpRecord& OpNamed(std::string_view name);

// For ops of one output on operands as they are: CallOne("Add", {a, b}).
Tensor CallOne(std::string_view op, std::vector<Given> inputs,
               const Attrs& attrs = {});

}  // namespace sluice::py
