// One call of an op with operands of any Python kind: types are promoted as
// users of numpy and PyTorch expect, then the op runs or becomes a node, as in
// C++.
//
// Operands that share a type in the op's record are promoted to a common type
// (dtype.h); numbers and lists written in the program take the type of the
// tensors they are combined with. Integers become f32 if an op accepts only
// floats.
#pragma once

#include <span>

#include "common.h"
#include "operand.h"
#include "sluice/base/small_vector.h"
#include "sluice/op/record.h"

namespace sluice::py {

// The result of a call: tensors, or the node if it has no outputs (empty if the
// call ran eagerly).
struct CallResult {
  SmallVector<Tensor, 2> tensors;
  Operation operation;
};

CallResult CallOp(const OpRecord& op, std::span<Given> inputs,
                  const Attrs& attrs, std::string_view name = {});

// The op of that name. REQUIRES: there is one.
const OpRecord& OpNamed(std::string_view name);

// For ops with one output, without promotion: CallOne("Add", {a, b}).
Tensor CallOne(std::string_view op, std::vector<Given> inputs,
               const Attrs& attrs = {});

}  // namespace sluice::py
