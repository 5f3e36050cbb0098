// Random ops: every lane draws numbers of its own, also where all lanes ask for
// the same. What is drawn is never single.
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

// Sizes are an attribute: they hold the lanes when their number is known while
// building. Else lanes draw one after the other.
bool OfShape(BatchContext& c) {
  int64_t lanes = c.known_lanes();
  const PartialShape& shape = c.attr<PartialShape>("shape");
  if (lanes < 0 || !shape.rank_known() || shape.rank() >= kMaxRank) {
    return false;
  }
  Attrs attrs = c.attrs();
  attrs.set("shape", WithLanes(shape, lanes));
  return c.SetAll({}, attrs);
}

}  // namespace

void AddRandomRules(BatchRules& rules) {
  for (const char* name : {"RandomExponential", "RandomInt", "RandomNormal",
                           "RandomUniform", "TruncatedNormal"}) {
    rules[name] = OfShape;
  }
  for (const char* name : {"Bernoulli", "Categorical", "Dropout", "Multinomial",
                           "RandomGamma", "RandomPoisson"}) {
    rules[name] = BatchLeading;
  }
}

}  // namespace sluice
