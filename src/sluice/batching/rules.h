// The batching rules: how an op for one example becomes an op, or a few, for
// all lanes at once. Rules follow from traits of the op's record where they
// can; the others are kept by name, in files by topic. Ops without a rule run
// lane by lane (batching/lane_loop.h).
#pragma once

#include <string>
#include <unordered_map>

#include "sluice/batching/batch_context.h"

namespace sluice {

using BatchRules = std::unordered_map<std::string, BatchRule>;

// Null when there is none. Made once; thread safe.
BatchRule FindBatchRule(const OpRecord& op);

// By topic; each adds its rules.
void AddAxisRules(BatchRules& rules);
void AddGatherRules(BatchRules& rules);
void AddImageRules(BatchRules& rules);
void AddLeadingRules(BatchRules& rules);
void AddListRules(BatchRules& rules);
void AddLossRules(BatchRules& rules);
void AddMatrixRules(BatchRules& rules);
void AddPartRules(BatchRules& rules);
void AddRandomRules(BatchRules& rules);
void AddScatterRules(BatchRules& rules);
void AddShapeRules(BatchRules& rules);

// Ops that ask for sizes alone: results are single whatever they are asked of.
bool SameForAllLanes(const OpRecord& op);

// Of a list op on lists of each lane's own, where that is one op on all of
// them; the others run lane by lane.
bool BatchBoxedList(BatchContext& c);

// Of traits.
bool BatchElementwise(BatchContext& c);
bool BatchReduction(BatchContext& c);

// The op takes any number of axes before those it works on, equal ones in all
// its inputs: lanes are one more.
bool BatchLeading(BatchContext& c);

}  // namespace sluice
