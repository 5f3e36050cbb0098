// Literal operands of the graph's text form: Add(%x, 1) denotes a Const of the
// type that Add requires there.
#pragma once

#include <vector>

#include "sluice/graph/node.h"
#include "sluice/graph/text_lexer.h"

namespace sluice {

// One operand as written: %name with its value, or a literal without one.
struct TextOperand {
  TextWord word;
  Value value;
};

// The dtype of the literal that is operand i. A type fixed by the record
// decides; then an operand with the same type variable; then the literal
// itself.
DType LiteralDType(const OpRecord& op, const Attrs& attrs,
                   const std::vector<TextOperand>& operands, size_t i);

}  // namespace sluice
