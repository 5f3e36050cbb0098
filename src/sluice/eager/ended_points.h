// Points of derivatives: the leaves that sl.grad and its kin make for
// themselves. Once the derivative has ended, nobody can ask for gradients
// there, so a history that leads to such points alone is one of a constant.
//
// The mark is set once, by the thread that took the derivative.
#pragma once

#include "sluice/eager/eager_value.h"
#include "sluice/eager/tape.h"

namespace sluice::front_internal {

void EndPoint(EagerValue& leaf);
bool IsEndedPoint(const EagerValue& leaf);

// Whether gradients that enter `node` may reach a leaf which is no such point.
bool LeadsToLeaf(const TapeNode& node);

}  // namespace sluice::front_internal
