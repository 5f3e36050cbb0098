// Parts of arrays and borders around them: lanes are taken whole.
#include <limits>

#include "sluice/batching/rules.h"

namespace sluice {

namespace {

using Ints = std::vector<int64_t>;

Ints Before(int64_t first, const Ints& rest) {
  Ints all{first};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Attrs AllLanes(const BatchContext& c) {
  Attrs attrs = c.attrs();
  attrs.set("begin", Before(0, c.attr<Ints>("begin")));
  attrs.set("end",
            Before(std::numeric_limits<int64_t>::max(), c.attr<Ints>("end")));
  attrs.set("strides", Before(1, c.attr<Ints>("strides")));
  return attrs;
}

bool StridedSlice(BatchContext& c) { return c.SetAll({c.in(0)}, AllLanes(c)); }

bool StridedSliceGrad(BatchContext& c) {
  if (c.batched(1)) return false;
  return c.SetAll({c.full(0), c.LanesAnd(c.in(1))}, AllLanes(c));
}

bool Slice(BatchContext& c) {
  return c.SetAll({c.in(0)}, {{"begin", Before(0, c.attr<Ints>("begin"))},
                              {"size", Before(-1, c.attr<Ints>("size"))}});
}

// The same places in all lanes; where each lane has its own: one by one.
Attrs NextAxis(const BatchContext& c) {
  Attrs attrs = c.attrs();
  int64_t axis = c.attr<int64_t>("axis");
  attrs.set("axis", axis < 0 ? axis : axis + 1);
  return attrs;
}

bool SliceAxis(BatchContext& c) {
  if (c.batched(1) || c.batched(2)) return false;
  return c.SetAll({c.in(0), c.in(1), c.in(2)}, NextAxis(c));
}

bool SliceAxisGrad(BatchContext& c) {
  if (c.batched(1) || c.batched(2) || c.batched(3)) return false;
  return c.SetAll({c.full(0), c.LanesAnd(c.in(1)), c.in(2), c.in(3)},
                  NextAxis(c));
}

bool SliceAxisUpdate(BatchContext& c) {
  if (c.batched(2) || c.batched(3)) return false;
  return c.SetAll({c.full(0), c.full(1), c.in(2), c.in(3)}, NextAxis(c));
}

bool Pad(BatchContext& c) {
  Attrs attrs = c.attrs();
  attrs.set("paddings", Before(0, Before(0, c.attr<Ints>("paddings"))));
  return c.SetAll({c.in(0)}, attrs);
}

bool Tile(BatchContext& c) {
  return c.SetAll({c.in(0)},
                  {{"multiples", Before(1, c.attr<Ints>("multiples"))}});
}

bool DiagPartGrad(BatchContext& c) {
  if (c.batched(1)) return false;
  return c.SetAll({c.full(0), c.LanesAnd(c.in(1))}, c.attrs());
}

}  // namespace

void AddPartRules(BatchRules& rules) {
  rules["StridedSlice"] = StridedSlice;
  rules["StridedSliceGrad"] = StridedSliceGrad;
  rules["Slice"] = Slice;
  rules["SliceAxis"] = SliceAxis;
  rules["SliceAxisGrad"] = SliceAxisGrad;
  rules["SliceAxisUpdate"] = SliceAxisUpdate;
  rules["Pad"] = Pad;
  rules["Tile"] = Tile;
  rules["DiagPartGrad"] = DiagPartGrad;
}

}  // namespace sluice
