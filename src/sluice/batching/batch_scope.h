// BatchScope: the batched values, in one region of the batched graph, of the
// values of code for one example. A value is the same for all lanes (single),
// or has an additional axis 0 with a slice for every lane that is live in this
// region.
//
// Scopes nest like regions. A scope whose region runs for some lanes only (a
// branch, an iteration) holds the indices of these lanes in the outer scope,
// and picks their slices of outer values on demand. Lives on the stack while
// its region is built.
#pragma once

#include <unordered_map>
#include <vector>

#include "sluice/batching/emitter.h"

namespace sluice {

// How a value represents those of all lanes. A list with the same length in all
// lanes, accessed at the same positions, has elements with lanes (kTogether).
// Any other list becomes a list of the lanes' lists (kBoxed). A single value
// can be converted to the other forms, and kTogether to kBoxed, but not the
// other way round.
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
// The value in that form. REQUIRES: it already has that form.
inline Lanes LanesIn(Value value, LaneForm form) {
  return {value, form != LaneForm::kSingle, form == LaneForm::kBoxed};
}

inline bool IsList(const Value& v) { return v.dtype() == DType::kList; }
// Whether a list that is the same for all lanes can have elements with lanes
// instead: it is empty, or was made from a tensor.
bool CanHaveLanes(const Value& list);

class BatchScope {
 public:
  // All lanes of the whole transform; `count` is a vector with one element.
  BatchScope(Emitter emit, Value count);
  // The same lanes as `outer`, in a nested region.
  BatchScope(Emitter emit, BatchScope& outer);
  // The lanes of `outer` selected by the vector `picked`.
  BatchScope(Emitter emit, BatchScope& outer, Value picked);
  // The lanes that a function is called with. Captured values with lanes are
  // passed to it; only single values come from `outer`.
  static BatchScope OfFunction(Emitter emit, BatchScope& outer, Value count);

  Emitter& emit() { return emit_; }
  // The number of lanes here: as a vector with one element, for shapes; and as
  // a number if it is known while building, else -1.
  Value count() const { return count_; }
  int64_t known_count() const;

  void Set(Value of_one, Lanes lanes) { map_[of_one] = lanes; }
  // Whether the value has lanes here, and in which form; emits nothing.
  bool Batched(Value of_one) const {
    return FormOf(of_one) != LaneForm::kSingle;
  }
  LaneForm FormOf(Value of_one) const;
  // The value here. A value of no scope belongs to the program outside the
  // batched code and is single.
  Lanes Find(Value of_one);
  // A value of the outer lanes, restricted to the lanes here.
  Value FromOuter(Value value) { return emit_.PickLanes(value, picked_); }
  // The value with an axis of lanes in any case; lists become boxed.
  Value Full(Lanes lanes);
  Value Full(Value of_one) { return Full(Find(of_one)); }
  // The value in that form. REQUIRES: the conversion is possible.
  Value In(LaneForm form, Lanes lanes);

  // A common form for values that may have different forms, to which all of
  // them can be converted.
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
