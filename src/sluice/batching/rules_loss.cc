// Losses of every element, with or without a sum or mean over all of them: the
// sum is over one example's elements, not over lanes.
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

bool EachLoss(BatchContext& c) {
  int rank = c.common_rank();
  if (rank < 0) return false;
  std::string reduction = c.attr<std::string>("reduction");
  Attrs each = c.attrs();
  each.set("reduction", "none");
  Value loss = c.Call(c.node().op().name, c.all_full(), each);
  if (reduction == "none") {
    c.set(0, loss);
    return true;
  }
  if (reduction != "mean" && reduction != "sum") return false;
  if (rank == 0) {
    c.set(0, loss);
    return true;
  }
  std::vector<int64_t> axes;
  for (int i = 1; i <= rank; ++i) axes.push_back(i);
  c.set(0,
        c.Call(reduction == "mean" ? "Mean" : "Sum", {loss}, {{"axes", axes}}));
  return true;
}

}  // namespace

void AddLossRules(BatchRules& rules) {
  for (const char* name :
       {"BceLoss", "BceWithLogitsLoss", "HingeLoss", "HuberLoss", "KlDivLoss",
        "L1Loss", "MseLoss", "SmoothL1Loss"}) {
    rules[name] = EachLoss;
  }
}

}  // namespace sluice
