// Batching rules of lists whose elements have lanes. The length of such a list
// is the same for all lanes, and so are the written positions; an element may
// be read from a different position in every lane. Otherwise a rule returns
// false: every lane then gets its own list, and its ops run lane by lane or by
// a rule of .batch_lists().
#pragma once

#include "sluice/op/batch_rules.h"

namespace sluice::list_batch {

// ListAppend, ListSet, ListAddAt: writes the last input at a position common to
// all lanes.
bool put(BatchContext& b);
// ListAdd, ListWriteAll: element by element.
bool both_lists(BatchContext& b);
// Elements are kept or removed: ListReserve, ListResize, ListTruncate,
// ListMask, ...
bool same_elements(BatchContext& b);
// ListPop, ListTake: an element leaves, from one place for all lanes.
bool leave(BatchContext& b);
// ListStackOr, ListGatherOr: the last input holds the sizes of the result.
bool stacked_or(BatchContext& b);

// Parts of rules.

// The op's attributes, with elements that have lanes.
Attrs elements_with_lanes(const BatchContext& b);
// Output 0, whose lanes are in axis 1: elements are concatenated.
bool set_turned(BatchContext& b, RuleVar value);
// Output 0, one element of each lane's own list, which may be a list.
bool set_elements(BatchContext& b, RuleVar elements);

// A rule of .batch_lists(): one op on the lists of all lanes, which changes
// them.
bool set_lists(BatchContext& b, std::string_view op);

}  // namespace sluice::list_batch
