// List ops where every lane has a list of its own: one op on a list of these.
#include "sluice/batching/rules.h"

namespace sluice {

namespace {

void SetElements(BatchContext& c, Value elements) {
  if (IsList(elements)) {
    c.set_boxed(0, elements);
  } else {
    c.set(0, elements);
  }
}

bool Get(BatchContext& c) {
  DType dtype = c.attr<DType>("dtype");
  Attrs attrs{{"dtype", dtype}};
  if (dtype != DType::kList) {
    attrs.set("shape",
              WithLanes(c.attr<PartialShape>("shape"), c.known_lanes()));
  }
  SetElements(c, c.Call("ListGetLanes", {c.full(0), c.full(1)}, attrs));
  return true;
}

bool GetOr(BatchContext& c) {
  SetElements(
      c, c.Call("ListGetLanesOr", {c.full(0), c.full(1), c.LanesAnd(c.in(2))},
                {{"dtype", c.attr<DType>("dtype")}}));
  return true;
}

}  // namespace

bool BatchBoxedList(BatchContext& c) {
  const std::string& op = c.node().op().name;
  if (op == "ListGet") return Get(c);
  if (op == "ListGetOr" && !c.batched(2)) return GetOr(c);
  if (op == "ListSize") {
    c.set(0, c.Call("ListSizeLanes", {c.full(0)}));
    return true;
  }
  const char* name = op == "ListAddAt"      ? "ListAddLanes"
                     : op == "ListAppend"   ? "ListAppendLanes"
                     : op == "ListTruncate" ? "ListTruncateLanes"
                                            : nullptr;
  if (!name) return false;
  c.set_boxed(0, c.Call(name, c.all_full()));
  return true;
}

}  // namespace sluice
