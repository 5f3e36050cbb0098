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

// How a value stands for those of all lanes. A list that is as long for all
// lanes, and written and read at the same places, has elements with lanes
// (kTogether). Any other is a list of the lists of the lanes (kBoxed). What is
// the same for all can be made the others, and what is together boxed; not the
// other way.
enum class LaneForm : uint8_t { kSingle, kTogether, kBoxed };

struct Lanes {
  Value value;
  bool batched = false;
  bool boxed = false;
  LaneForm form() const {
    return boxed     ? LaneForm::kBoxed
           : batched ? LaneForm::kTogether
                     : LaneForm::kSingle;
  }
};
// The same value in that form. REQUIRES: it is in it.
inline Lanes LanesIn(Value value, LaneForm form) {
  return {value, form != LaneForm::kSingle, form == LaneForm::kBoxed};
}

inline bool IsList(const Value& v) { return v.dtype() == DType::kList; }
// Whether a list that is the same for all lanes can have elements with lanes
// instead: it is empty, or was made of a tensor.
bool CanHaveLanes(const Value& list);

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
  // Whether it has lanes here, and how; asking emits nothing.
  bool Batched(Value of_one) const {
    return FormOf(of_one) != LaneForm::kSingle;
  }
  LaneForm FormOf(Value of_one) const;
  // What the value is here. A value of no scope belongs to the program around
  // the batched code and is single.
  Lanes Find(Value of_one);
  // A value of the lanes around, for those that are here.
  Value FromOuter(Value value) { return emit_.PickLanes(value, picked_); }
  // The same with an axis of lanes in any case; of a list, boxed.
  Value Full(Lanes lanes);
  Value Full(Value of_one) { return Full(Find(of_one)); }
  // The same in a form. REQUIRES: it can be.
  Value In(LaneForm form, Lanes lanes);

  // The form of what is one of these values, each in its own form: not less
  // than any, and all can be in it.
  struct Formed {
    Value of_one;
    LaneForm form;
  };
  static LaneForm Joined(const std::vector<Formed>& values);

 private:
  Value FullList(Value list);
  Value Boxed(Lanes list);

  Emitter emit_;
  BatchScope* outer_ = nullptr;
  Value count_;
  Value picked_;
  bool single_only_ = false;
  std::unordered_map<Value, Lanes, ValueHash> map_;
  std::unordered_map<Value, Value, ValueHash> boxed_;  // of lists together
};

}  // namespace sluice
