// Types, literals and attribute values of the graph's text form: the parser for
// AttrValue::ToString.
#pragma once

#include "sluice/graph/node.h"
#include "sluice/graph/text_cursor.h"

namespace sluice {

// "f32[2,?,s0]", "i64[]", "string[...]"
Result<ValueType> ReadType(TextCursor& text);

// A value of the given kind: 3, 0.5, "a", f32, [2,?], {1, 2},
// [1 2 3] : i64[3]. An array without a type is i32, f32, bool or string.
Result<AttrValue> ReadAttrValue(TextCursor& text, AttrKind kind);

// True if the word may be used for a scalar: 3, -inf, true, "a".
bool AtLiteral(const TextCursor& text);
// The scalar given by `word`, as an array of that dtype.
Result<Array> ScalarOf(const TextCursor& text, const TextWord& word,
                       DType dtype);
// The dtype of a literal that nothing else determines: i32, f32, bool or
// string.
DType NaturalDType(const TextWord& word);

}  // namespace sluice
