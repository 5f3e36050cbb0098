// Rules that follow from what a record says of its op.
#include <algorithm>

#include "sluice/batching/rules.h"

namespace sluice {

// Axes broadcast from the last one on. Lanes stay in front when every input
// that has them also has the axes it lacks, with size 1, behind them.
bool BatchElementwise(BatchContext& c) {
  int most = 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.rank(i) < 0 && c.num_inputs() > 1) return false;
    most = std::max(most, c.rank(i));
  }
  Emitter::Values inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    bool lacks = c.batched(i) && c.rank(i) >= 0;
    inputs.push_back(lacks ? c.Expand(c.in(i), 1, most - c.rank(i)) : c.in(i));
  }
  return c.SetAll(inputs, c.attrs());
}

// Attributes axes and keep_dims; no axes mean all.
bool BatchReduction(BatchContext& c) {
  int rank = c.rank(0);
  if (rank < 0 || c.num_inputs() != 1) return false;
  std::vector<int64_t> axes;
  for (int64_t axis : c.attr<std::vector<int64_t>>("axes")) {
    axes.push_back((axis < 0 ? axis + rank : axis) + 1);
  }
  if (axes.empty()) {
    for (int i = 1; i <= rank; ++i) axes.push_back(i);
  }
  Attrs attrs = c.attrs();
  Value x = c.in(0);
  if (rank == 0) {
    // A number by itself: no axes would mean that of the lanes.
    x = c.Expand(x, 1);
    axes = {1};
    attrs.set("keep_dims", false);
  }
  attrs.set("axes", axes);
  return c.SetAll({x}, attrs);
}

}  // namespace sluice
