// BatchScope: what the values of code for one example have become in one region
// of the batched graph. A value is the same for all lanes (single), or has one
// more axis, axis 0, with a slice for every lane that is live in this region.
//
// Scopes nest as regions do. A scope whose region runs for some lanes only (a
// branch, an iteration) holds their numbers among the lanes of the scope around
// it, and takes values of those lanes from there when it is asked for them.
// Lives on the stack while its region is filled.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/batching/emitter.h"

namespace sluice {

struct Lanes {
  Value value;
  bool batched = false;
};

class BatchScope {
 public:
  // All lanes of the whole transform; `count` is a vector of one number.
  BatchScope(Emitter emit, Value count);
  // The same lanes as `outer`, in a region inside.
  BatchScope(Emitter emit, BatchScope& outer);
  // Those lanes of `outer` that the vector `picked` names.
  BatchScope(Emitter emit, BatchScope& outer, Value picked);
  // As many lanes as a function is called with. What it captures of lanes it
  // is given; from `outer` come single values alone.
  static BatchScope OfFunction(Emitter emit, BatchScope& outer, Value count);

  Emitter& emit() { return emit_; }
  // How many lanes there are here: a vector of one number, for shapes; and as a
  // number when it is known while building, else -1.
  Value count() const { return count_; }
  int64_t known_count() const;

  void Set(Value of_one, Lanes lanes) { map_[of_one] = lanes; }
  // Whether it has lanes here; asking emits nothing.
  bool Batched(Value of_one) const;
  // What the value is here. A value of no scope belongs to the program around
  // the batched code and is single.
  Lanes Find(Value of_one);
  // A value of the lanes around, for those that are here.
  Value FromOuter(Value value) { return emit_.Gather(value, picked_); }
  // The same with an axis of lanes in any case.
  Value Full(Lanes lanes);
  Value Full(Value of_one) { return Full(Find(of_one)); }

 private:
  Value FullList(Value list);

  Emitter emit_;
  BatchScope* outer_ = nullptr;
  Value count_;
  Value picked_;
  bool single_only_ = false;
  std::unordered_map<Value, Lanes, ValueHash> map_;
};

}  // namespace sluice
