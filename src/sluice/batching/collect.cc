#include "sluice/batching/collect.h"

namespace sluice {

Collected Append(Emitter& emit, const Collected& all, const Collected& more) {
  Collected made;
  made.lanes = emit.Call("Concat", {all.lanes, more.lanes});
  if (all.rows.empty()) return made;
  made.rows = emit.If(
      emit.IsEmpty(more.lanes), [&](Emitter&) { return all.rows; },
      [&](Emitter& some) {
        return some.If(
            some.IsEmpty(all.lanes), [&](Emitter&) { return more.rows; },
            [&](Emitter& both) {
              Emitter::Values joined;
              for (size_t i = 0; i < all.rows.size(); ++i) {
                joined.push_back(both.JoinLanes(all.rows[i], more.rows[i]));
              }
              return joined;
            });
      });
  return made;
}

Emitter::Values InOrder(Emitter& emit, const Collected& all) {
  Emitter::Values ordered;
  if (all.rows.empty()) return ordered;
  Value places = emit.Call("InvertPermutation", {all.lanes});
  for (const Value& rows : all.rows) {
    ordered.push_back(emit.PickLanes(rows, places));
  }
  return ordered;
}

}  // namespace sluice
