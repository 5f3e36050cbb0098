#include "sluice/batching/rules.h"

namespace sluice {

namespace {

const BatchRules& Named() {
  static const BatchRules* rules = [] {
    auto* made = new BatchRules;
    AddAxisRules(*made);
    AddGatherRules(*made);
    AddImageRules(*made);
    AddLeadingRules(*made);
    AddListRules(*made);
    AddLossRules(*made);
    AddMatrixRules(*made);
    AddPartRules(*made);
    AddRandomRules(*made);
    AddScatterRules(*made);
    AddShapeRules(*made);
    return made;
  }();
  return *rules;
}

}  // namespace

BatchRule FindBatchRule(const OpRecord& op) {
  if (auto it = Named().find(op.name); it != Named().end()) return it->second;
  if (op.elementwise()) return BatchElementwise;
  if (op.shape == shapes::reduce) return BatchReduction;
  return nullptr;
}

}  // namespace sluice
