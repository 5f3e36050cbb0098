// Ops that read or say shapes. A shape is the same for all lanes: what comes of
// Shape is single, and a shape that differs from lane to lane is refused.
#include <algorithm>

#include "sluice/batching/rules.h"

namespace sluice {

namespace {

bool SizesOf(BatchContext& c) {
  c.set(0, c.Sizes(c.in(0), 1), false);
  return true;
}

bool Size(BatchContext& c) {
  c.set(0, c.Call("Prod", {c.Sizes(c.in(0), 1)}), false);
  return true;
}

bool Rank(BatchContext& c) {
  if (c.rank(0) >= 0) {
    c.set(0, c.Int(c.rank(0)), false);
  } else {
    c.set(0, c.Call("Sub", {c.Call("Rank", {c.in(0)}), c.Int(1)}), false);
  }
  return true;
}

bool Reshape(BatchContext& c) {
  if (c.batched(1)) return false;
  const PartialShape& made = c.node().output_type(0).shape;
  std::vector<int64_t> sizes{-1};
  bool known = made.fully_known();
  for (int64_t size : made.dims()) {
    sizes.push_back(size);
    // Nothing times the number of lanes would leave it open.
    known = known && size > 0;
  }
  Value shape = known ? c.Ints(sizes) : c.LanesAnd(c.in(1));
  c.set(0, c.Call("Reshape", {c.in(0), shape}));
  return true;
}

bool BroadcastTo(BatchContext& c) {
  int wanted = c.node().output_type(0).shape.rank();
  if (c.batched(1) || c.rank(0) < 0 || wanted < 0) return false;
  Value x = c.Expand(c.in(0), 1, wanted - c.rank(0));
  c.set(0, c.Call("BroadcastTo", {x, c.LanesAnd(c.in(1))}));
  return true;
}

// Axes the shape lacks come first: they are kept with size 1 and dropped then.
bool SumTo(BatchContext& c) {
  int wanted = c.node().output_type(0).shape.rank();
  if (c.batched(1) || c.rank(0) < 0 || wanted < 0) return false;
  Value shape = c.LanesAnd(c.in(1));
  int lacks = c.rank(0) - wanted;
  std::vector<int64_t> ones(static_cast<size_t>(std::max(lacks, 0)), 1);
  Value y =
      c.Call("SumTo", {c.in(0), c.Join({c.lanes(), c.Ints(ones), c.in(1)})});
  c.set(0, lacks > 0 ? c.Reshape(y, shape) : y);
  return true;
}

bool Fill(BatchContext& c) {
  int wanted = c.node().output_type(0).shape.rank();
  if (c.batched(0) || wanted < 0) return false;
  Value value = c.Expand(c.in(1), 1, wanted);
  c.set(0, c.Call("BroadcastTo", {value, c.LanesAnd(c.in(0))}));
  return true;
}

bool EnsureShape(BatchContext& c) {
  Attrs attrs = c.attrs();
  attrs.set("shape", WithLanes(c.attr<PartialShape>("shape"), c.known_lanes()));
  return c.SetAll({c.in(0)}, attrs);
}

}  // namespace

void AddShapeRules(BatchRules& rules) {
  rules["Shape"] = SizesOf;
  rules["Size"] = Size;
  rules["Rank"] = Rank;
  rules["Reshape"] = Reshape;
  rules["BroadcastTo"] = BroadcastTo;
  rules["SumTo"] = SumTo;
  rules["Fill"] = Fill;
  rules["EnsureShape"] = EnsureShape;
}

}  // namespace sluice
