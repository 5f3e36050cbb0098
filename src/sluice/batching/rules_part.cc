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
  rules["Pad"] = Pad;
  rules["Tile"] = Tile;
  rules["DiagPartGrad"] = DiagPartGrad;
}

}  // namespace sluice
